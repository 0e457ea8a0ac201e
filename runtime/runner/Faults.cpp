//===- Faults.cpp - telling the host how a kernel died --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Faults.h"
#include <csignal>
#include <poll.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

using namespace spine::runner;

static Channel *faultChannel = nullptr;

static uint64_t getProgramCounter(const void *context) {
#if defined(__riscv)
  return static_cast<const ucontext_t *>(context)->uc_mcontext.__gregs[REG_PC];
#elif defined(__x86_64__)
  return static_cast<uint64_t>(
      static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  (void)context;
  return 0;
#endif
}

static void handleFault(int signal, siginfo_t *info, void *context) {
  // Several workers may fault at once: the first one reports.
  static int reported = 0;
  if (__atomic_exchange_n(&reported, 1, __ATOMIC_SEQ_CST))
    pause();
  FaultReply fault = {
      static_cast<uint32_t>(signal), static_cast<uint32_t>(info->si_code),
      getProgramCounter(context), reinterpret_cast<uint64_t>(info->si_addr)};
  faultChannel->sendFault(fault);
  _exit(128 + signal);
}

void spine::runner::reportFaults(Channel &channel) {
  faultChannel = &channel;
  struct sigaction action = {};
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
    sigaction(signal, &action, nullptr);
}

static void *waitForHangUp(void *argument) {
  pollfd entry = {*static_cast<const int *>(argument), POLLRDHUP, 0};
  while (true) {
    poll(&entry, 1, -1);
    if (entry.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL))
      _exit(0);
  }
}

void spine::runner::watchHost(const Channel &channel) {
  static int socket = channel.getSocket();
  pthread_t thread;
  // Without it, the process ends with the running kernel.
  if (pthread_create(&thread, nullptr, waitForHangUp, &socket) == 0)
    pthread_detach(thread);
}
