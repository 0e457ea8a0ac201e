//===- Channel.h - messages over a socket -----------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_RUNNER_CHANNEL_H
#define SPINE_RUNTIME_RUNNER_CHANNEL_H

#include "Protocol.h"
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace spine::runner {

/// The body of a message, read from its start. Every read says whether there
/// was enough.
class Body {
public:
  std::vector<char> bytes;

  template <typename T> bool read(T &value) {
    if (remaining() < sizeof(T))
      return false;
    std::memcpy(&value, bytes.data() + position, sizeof(T));
    position += sizeof(T);
    return true;
  }

  /// The next `count` bytes, or null if there are fewer.
  const char *take(uint64_t count) {
    if (remaining() < count)
      return nullptr;
    const char *start = bytes.data() + position;
    position += count;
    return start;
  }

  size_t remaining() const { return bytes.size() - position; }

private:
  size_t position = 0;
};

struct Message {
  Request kind;
  Body body;
  /// A file descriptor that came with it, or -1. The receiver closes it.
  int file = -1;
};

/// Where requests come from and replies go to.
class Channel {
public:
  explicit Channel(int socket) : socket(socket) {}

  /// Waits for a request. False when the host is gone or sends nonsense.
  bool receive(Message &message);

  bool send(Reply kind, const std::string &body);

  /// As `send`, for signal handlers: no memory is allocated.
  bool sendFault(const FaultReply &fault);

  int getSocket() const { return socket; }

private:
  bool readAll(void *buffer, size_t bytes, int &file);
  bool writeAll(const void *buffer, size_t bytes);

  int socket;
};

/// Appends the bytes of a plain value to a message's body.
template <typename T> void append(std::string &body, const T &value) {
  body.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

} // namespace spine::runner

#endif // SPINE_RUNTIME_RUNNER_CHANNEL_H
