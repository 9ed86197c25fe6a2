// How long work in a real GPU's streams takes, by events around it.
#pragma once

#include <utility>
#include <vector>

#include "sim/cuda/device/gpu/driver.h"

namespace sim::cuda::gpu {

class Stopwatch {
  public:
    Stopwatch() = default;
    Stopwatch(const Stopwatch&) = delete;

    void start() { running_ = starting_ = true; } ///< with the next operation
    void stop();                                  ///< behind the last one
    /// A copy, a set or a launch is about to be put into `stream`.
    CUresult operation_begins(CUstream stream);
    /// Seconds from each start to its stop; the GPU must be idle. Forgets them.
    std::vector<double> times();
    void clear();

  private:
    const Driver& cu_ = driver();
    bool running_ = false, starting_ = false;
    CUstream stream_ = nullptr; ///< of the last operation
    std::vector<std::pair<CUevent, CUevent>> timed_;
};

} // namespace sim::cuda::gpu
