//===- Runner.cpp - runs kernels for a host process -----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// usage: spine-runner SOCKET
//
// A host process starts this program on another machine's processor (here: in
// an emulator) with a connected socket as file descriptor SOCKET. See
// Protocol.h for what is said there. Everything that kernels print goes to
// standard output.
//
//===----------------------------------------------------------------------===//

#include "Channel.h"
#include "Faults.h"
#include "Memory.h"
#include "Symbols.h"
#include "spine-runtime/Launch.h"
#include "spine-runtime/VectorBytes.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace spine::runner;

namespace {

/// Answers the requests of one host.
class Server {
public:
  explicit Server(Channel &channel) : channel(channel) {}

  /// Returns the exit status.
  int run();

private:
  bool sayHello();
  bool answer(Message &message);
  bool answerMap(Message &message);
  bool answerRange(Message &message);
  bool answerLaunch(Message &message);
  /// Done, or Refused with the problem.
  bool finish(const std::string &problem);

  Channel &channel;
  Memory memory;
};

} // namespace

bool Server::sayHello() {
  std::vector<spine::rt::KernelSymbol> symbols = getSymbols();
  HelloReply hello = {kProtocolVersion,
                      spine::rt::getVectorBytes(),
                      memory.getCodeAddress(),
                      Memory::kCodeBytes,
                      spine::rt::getNumUsableCores(),
                      static_cast<uint32_t>(symbols.size())};
  std::string body;
  append(body, hello);
  for (const spine::rt::KernelSymbol &symbol : symbols) {
    append(body, reinterpret_cast<uint64_t>(symbol.address));
    body.append(symbol.name, std::strlen(symbol.name) + 1);
  }
  return channel.send(Reply::Hello, body);
}

bool Server::finish(const std::string &problem) {
  return channel.send(problem.empty() ? Reply::Done : Reply::Refused, problem);
}

bool Server::answerMap(Message &message) {
  MapRequest request;
  uint64_t address = 0;
  std::string problem = "a request to map is too short";
  if (message.body.read(request))
    problem = memory.map(message.file, request.bytes, address);
  if (!problem.empty())
    return finish(problem);
  std::string body;
  append(body, address);
  return channel.send(Reply::Mapped, body);
}

bool Server::answerRange(Message &message) {
  RangeRequest range;
  if (!message.body.read(range))
    return finish("a request for a range of memory is too short");
  return finish(message.kind == Request::Unmap ? memory.unmap(range)
                                               : memory.unload(range));
}

bool Server::answerLaunch(Message &message) {
  LaunchRequest request;
  if (!message.body.read(request) ||
      message.body.remaining() != uint64_t(request.arguments) * 8)
    return finish("a request to launch has the wrong length");
  // One slot at least, so that there is an address to hand over.
  std::vector<uint64_t> slots(std::max<uint32_t>(request.arguments, 1));
  for (uint32_t i = 0; i < request.arguments; ++i)
    message.body.read(slots[i]);
  spine::rt::setNumThreads(request.threads);
  spine::rt::LaunchResult result = spine::rt::launch(
      reinterpret_cast<spine::rt::KernelFunction>(request.function),
      slots.data(), {request.grid[0], request.grid[1], request.grid[2]},
      {request.arenaBytes, request.keptAt});
  const spine::rt::AssertFailure &failure = result.failure;
  LaunchReply reply = {
      static_cast<uint32_t>(result.status),
      failure.line,
      {failure.program[0], failure.program[1], failure.program[2]},
      0};
  std::string body;
  append(body, reply);
  for (const std::string *text :
       {&failure.message, &failure.file, &failure.function})
    body.append(text->c_str(), text->size() + 1);
  return channel.send(Reply::Launched, body);
}

bool Server::answer(Message &message) {
  switch (message.kind) {
  case Request::Map:
    return answerMap(message);
  case Request::Unmap:
  case Request::Unload:
    return answerRange(message);
  case Request::Load:
    return finish(memory.load(message.body));
  case Request::Launch:
    return answerLaunch(message);
  }
  return finish("unknown request " +
                std::to_string(static_cast<uint32_t>(message.kind)));
}

int Server::run() {
  std::string problem = memory.reserveCode();
  if (!problem.empty()) {
    std::fprintf(stderr, "spine-runner: %s\n", problem.c_str());
    return 1;
  }
  if (!sayHello())
    return 1;
  Message message;
  while (channel.receive(message)) {
    bool answered = answer(message);
    if (message.file >= 0)
      close(message.file);
    if (!answered)
      return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  char *end = nullptr;
  long socket = argc == 2 ? std::strtol(argv[1], &end, 10) : -1;
  if (argc != 2 || end == argv[1] || *end || socket < 0) {
    std::fprintf(stderr, "usage: spine-runner SOCKET\n"
                         "started by spine-triton with a connected socket\n");
    return 2;
  }
  Channel channel(static_cast<int>(socket));
  reportFaults(channel);
  watchHost(channel);
  // Threads and memory end with the process, whatever they do.
  _exit(Server(channel).run());
}
