#include "sim/cuda/device/gpu/stopwatch.h"

namespace sim::cuda::gpu {

CUresult Stopwatch::operation_begins(CUstream stream) {
    stream_ = stream;
    if (!starting_)
        return CUDA_SUCCESS;
    starting_ = false;
    auto& [begin, end] = timed_.emplace_back();
    if (const CUresult result = cu_.cuEventCreate(&begin, CU_EVENT_DEFAULT))
        return result;
    if (const CUresult result = cu_.cuEventCreate(&end, CU_EVENT_DEFAULT))
        return result;
    return cu_.cuEventRecord(begin, stream);
}

void Stopwatch::stop() {
    if (running_ && !starting_)
        cu_.cuEventRecord(timed_.back().second, stream_);
    running_ = starting_ = false;
}

std::vector<double> Stopwatch::times() {
    std::vector<double> all;
    for (const auto& [begin, end] : timed_) {
        float milliseconds = 0;
        if (cu_.cuEventElapsedTime(&milliseconds, begin, end) == CUDA_SUCCESS)
            all.push_back(static_cast<double>(milliseconds) * 1e-3);
    }
    clear();
    return all;
}

void Stopwatch::clear() {
    for (const auto& [begin, end] : timed_) {
        cu_.cuEventDestroy(begin);
        cu_.cuEventDestroy(end);
    }
    timed_.clear();
}

} // namespace sim::cuda::gpu
