//===- Channel.cpp - messages over a socket -------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Channel.h"
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace spine::runner;

/// The file descriptor in a control message, or -1.
static int takeFile(msghdr &header) {
  for (cmsghdr *control = CMSG_FIRSTHDR(&header); control;
       control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
      continue;
    int file;
    std::memcpy(&file, CMSG_DATA(control), sizeof(file));
    return file;
  }
  return -1;
}

bool Channel::readAll(void *buffer, size_t bytes, int &file) {
  auto *position = static_cast<char *>(buffer);
  while (bytes) {
    iovec part = {position, bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr header = {};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    ssize_t count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    int received = takeFile(header);
    if (received >= 0) {
      if (file >= 0)
        close(file);
      file = received;
    }
    position += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

bool Channel::receive(Message &message) {
  message = Message();
  MessageHeader header;
  if (!readAll(&header, sizeof(header), message.file))
    return false;
  if (header.bytes > kMaxBodyBytes)
    return false;
  message.kind = static_cast<Request>(header.kind);
  message.body.bytes.resize(header.bytes);
  return readAll(message.body.bytes.data(), header.bytes, message.file);
}

bool Channel::writeAll(const void *buffer, size_t bytes) {
  auto *position = static_cast<const char *>(buffer);
  while (bytes) {
    ssize_t count = ::send(socket, position, bytes, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    position += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

bool Channel::send(Reply kind, const std::string &body) {
  MessageHeader header = {static_cast<uint32_t>(kind),
                          static_cast<uint32_t>(body.size())};
  std::string all;
  append(all, header);
  all += body;
  return writeAll(all.data(), all.size());
}

bool Channel::sendFault(const FaultReply &fault) {
  struct {
    MessageHeader header;
    FaultReply fault;
  } message = {{static_cast<uint32_t>(Reply::Fault), sizeof(FaultReply)},
               fault};
  static_assert(sizeof(message) == sizeof(MessageHeader) + sizeof(FaultReply));
  return writeAll(&message, sizeof(message));
}
