//===- Faults.h - telling the host how a kernel died ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_RUNNER_FAULTS_H
#define SPINE_RUNTIME_RUNNER_FAULTS_H

#include "Channel.h"

namespace spine::runner {

/// From now on an access to memory that is not there, an unknown instruction
/// and the like are reported to the host before the process ends.
void reportFaults(Channel &channel);

/// Ends the process when the host is gone, also while a kernel runs.
void watchHost(const Channel &channel);

} // namespace spine::runner

#endif // SPINE_RUNTIME_RUNNER_FAULTS_H
