// How a session measures: check::measure and what it needs.
#include <algorithm>

#include <fmt/format.h>

#include "check/session.h"

namespace check {

// Nobody waits in between, so that the GPU always has something to do: a time is that of the work alone.
double Session::median_time(const std::function<void()>& work) {
    constexpr int warm_up = 5, runs = 31;
    for (int i = 0; i < warm_up + runs; ++i) {
        if (i >= warm_up) {
            const auto device = server_.lock();
            gpu_->start_timing();
        }
        work();
        if (i >= warm_up) {
            const auto device = server_.lock();
            gpu_->stop_timing();
        }
    }
    const auto device = server_.lock();
    std::vector<double> times = gpu_->times();
    if (times.empty())
        return 0;
    const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

uint64_t Session::allocate_filled(size_t bytes) {
    const uint64_t address = allocate(Place::device, bytes);
    std::vector<uint64_t> block((std::min<size_t>(bytes, 16 << 20) + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    for (uint64_t& value : block)
        value = random_();
    const auto contents = std::as_bytes(std::span(block));
    for (size_t done = 0; done < bytes; done += contents.size())
        write(Place::device, address + done, contents.first(std::min(contents.size(), bytes - done)));
    return address;
}

void Session::measure(std::string_view variant, uint64_t bytes, const std::vector<detail::Slot>& slots) {
    const wire::Request request = call_request(slots);
    const auto launch = [&] {
        const wire::Reply launched = ask(request);
        if (launched.code)
            throw Failed{Verdict::cuda_error,
                         fmt::format("the launch function returned {} ({})", launched.text, launched.code)};
    };
    if (!gpu_) { // nothing to measure, but something to look at: see runner/bench_model.h
        if (measured_.empty())
            measured_.push_back({"copy", 0, 0});
        if (config_.only_variant == SIZE_MAX || config_.only_variant + 1 == measured_.size())
            call(slots);
        measured_.push_back({std::string(variant), bytes, 0});
        return;
    }
    if (measured_.empty()) {
        const size_t size = bench_bytes();
        const uint64_t from = allocate(Place::device, size), to = allocate(Place::device, size);
        const double seconds = median_time([&] {
            const auto device = server_.lock();
            gpu_->copy(to, from, size);
        });
        measured_.push_back({"copy", 2 * size, seconds});
    }
    const double seconds = median_time(launch);
    const wire::Reply done = ask({wire::Ask::synchronise, 0, {}});
    check_device();
    if (done.code)
        throw Failed{Verdict::cuda_error,
                     fmt::format("cudaDeviceSynchronize() returned {} ({})", done.text, done.code)};
    measured_.push_back({std::string(variant), bytes, seconds});
}

} // namespace check
