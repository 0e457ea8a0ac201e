//===- Protocol.h - what host and runner say to each other ------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// A connection is a stream socket. Each message is a MessageHeader and `bytes`
// bytes of body, little-endian. The runner speaks first (Hello); then it
// answers each request with one message, in order. A kernel's fault is answered
// by Fault, after which the runner ends.
//
// python/spine_triton/runners/protocol.py is the other side: a change here is a
// change there, and of kProtocolVersion.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_RUNNER_PROTOCOL_H
#define SPINE_RUNTIME_RUNNER_PROTOCOL_H

#include <cstdint>

namespace spine::runner {

constexpr uint32_t kProtocolVersion = 2;

/// Longest body that either side accepts.
constexpr uint32_t kMaxBodyBytes = 256u << 20;

struct MessageHeader {
  uint32_t kind;
  uint32_t bytes;
};
static_assert(sizeof(MessageHeader) == 8);

/// What the host asks for.
enum class Request : uint32_t {
  /// MapRequest, and a file descriptor: maps the file. Answered by Mapped.
  Map = 1,
  /// RangeRequest: takes a mapping back. Answered by Done.
  Unmap = 2,
  /// LoadRequest, its segments, their contents: puts linked code into memory.
  /// Answered by Done.
  Load = 3,
  /// RangeRequest: takes code out of memory. Answered by Done.
  Unload = 4,
  /// LaunchRequest and 8 bytes per argument: runs a grid. Answered by Launched.
  Launch = 5,
};

/// What the runner answers.
enum class Reply : uint32_t {
  /// HelloReply, then `symbols` times an address of 8 bytes and a name that
  /// ends with a zero byte.
  Hello = 101,
  Done = 102,
  /// An address of 8 bytes.
  Mapped = 103,
  /// LaunchReply, then message, file and function, each with a zero byte.
  Launched = 104,
  /// A text: why a request was refused. The runner goes on.
  Refused = 105,
  /// FaultReply. The runner ends.
  Fault = 106,
};

struct HelloReply {
  uint32_t version;
  /// Bytes of a vector register; 0 without vectors.
  uint32_t vectorBytes;
  /// Address space for linked code, which the host divides.
  uint64_t codeAddress;
  uint64_t codeBytes;
  uint32_t cores;
  uint32_t symbols;
};
static_assert(sizeof(HelloReply) == 32);

struct MapRequest {
  uint64_t bytes;
};

struct RangeRequest {
  uint64_t address;
  uint64_t bytes;
};

/// A part of linked code. Addresses are multiples of kPageBytes.
struct Segment {
  uint64_t address;
  /// Bytes of contents that follow in the message.
  uint64_t contentBytes;
  /// Bytes in memory; those beyond the contents are zero.
  uint64_t memoryBytes;
  /// PROT_READ, PROT_WRITE, PROT_EXEC.
  uint32_t protection;
  uint32_t reserved;
};
static_assert(sizeof(Segment) == 32);

constexpr uint64_t kPageBytes = 4096;

struct LoadRequest {
  uint32_t segments;
  uint32_t reserved;
};

struct LaunchRequest {
  uint64_t function;
  uint64_t arenaBytes;
  uint64_t keptAt;
  int32_t grid[3];
  uint32_t threads;
  uint32_t arguments;
  uint32_t reserved;
};
static_assert(sizeof(LaunchRequest) == 48);

struct LaunchReply {
  /// A spine::rt::LaunchStatus.
  uint32_t status;
  int32_t line;
  int32_t program[3];
  uint32_t reserved;
};
static_assert(sizeof(LaunchReply) == 24);

struct FaultReply {
  uint32_t signal;
  uint32_t code;
  uint64_t programCounter;
  uint64_t address;
};
static_assert(sizeof(FaultReply) == 24);

} // namespace spine::runner

#endif // SPINE_RUNTIME_RUNNER_PROTOCOL_H
