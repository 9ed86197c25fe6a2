// CUDA calls that fail, as findings at their lines. Whether the program looks at the error decides how bad that is: by
// the call's result, or by cudaGetLastError or cudaPeekAtLastError before another failure hides it.
#pragma once

#include "sim/cuda/program/runtime.h"

namespace sim::cuda {

/// Reports that the program's call of `function` has failed. Call it from the function that the program has called, or
/// from one that this calls. False: such a failure is no finding.
bool report_failed_call(const char* function, const Failure& failure);

/// The call that the program is making.
struct CodePlace place_of_call();

/// The program has read the last error by a call that returns to `site`, in one of its threads.
void last_error_read(const void* site);

/// Makes the `call` of a function of the program for which a stream has come to that function.
void run_program_function(const void* function, const std::function<void()>& call);

/// While it lives, the thread's calls are of a launch that the program has written as kernel<<<>>>() at `site`.
/// nullptr: it is written as a call.
class LaunchSite {
  public:
    explicit LaunchSite(const void* site);
    ~LaunchSite();
    LaunchSite(const LaunchSite&) = delete;
};

} // namespace sim::cuda
