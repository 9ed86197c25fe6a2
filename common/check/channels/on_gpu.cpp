#include <algorithm>

#include "check/channels/on_device.h"
#include "check/gpu/device.h"
#include "check/server.h"

namespace check {
namespace {

Server::Open opener(const RunConfig& config, gpu::GpuDevice*& opened) {
    return [&config, &opened](std::atomic<bool>* interrupt) {
        auto device = gpu::open({config.sms, config.blocks_per_sm, interrupt});
        opened = device.get();
        return device;
    };
}

/// A base, so that it is there before the channel is made.
struct Opened {
    explicit Opened(const RunConfig& config) : opened_(std::make_unique<Server>(opener(config, gpu_))) {}
    gpu::GpuDevice* gpu_ = nullptr;
    std::unique_ptr<Server> opened_;
    Server& real_ = *opened_;
};

class OnGpu : Opened, public WithProgram {
  public:
    explicit OnGpu(const RunConfig& config) : Opened(config), WithProgram(config, "gpu", std::move(opened_)) {}

    bool on_gpu() const override { return true; }
    bool has_counters() const override { return false; }
    bool device_gone() override { return OnDevice::device_gone() || !server_->condition().lost; }

    void measure(std::string_view variant, uint64_t bytes, const std::vector<detail::Slot>& slots) override {
        announce(slots);
        prepare(slots);
        if (measured_.empty())
            measured_.push_back(measure_copy());
        const double seconds = median_time([&] { expect_success(launch(slots, 0), {}); });
        const wire::Reply done = synchronise();
        check_device(*server_);
        expect_success({}, done);
        measured_.push_back({std::string(variant), bytes, seconds});
    }

  private:
    Measurement measure_copy() {
        const uint64_t from = allocate(MemoryKind::device, bench_bytes()),
                       to = allocate(MemoryKind::device, bench_bytes());
        const double seconds = median_time([&] {
            const auto device = real_.lock();
            gpu_->copy(to, from, bench_bytes());
        });
        return {"copy", 2 * bench_bytes(), seconds};
    }

    // Does not wait between the runs, so that the GPU is never idle: a time is that of the work alone.
    double median_time(const std::function<void()>& work) {
        constexpr int warm_up = 5, runs = 31;
        for (int i = 0; i < warm_up + runs; ++i) {
            if (i >= warm_up) {
                const auto device = real_.lock();
                gpu_->start_timing();
            }
            work();
            if (i >= warm_up) {
                const auto device = real_.lock();
                gpu_->stop_timing();
            }
        }
        const auto device = real_.lock();
        std::vector<double> times = gpu_->times();
        if (times.empty())
            return 0;
        const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle;
    }
};

} // namespace

std::unique_ptr<Channel> on_gpu(const RunConfig& config) {
    return std::make_unique<OnGpu>(config);
}

} // namespace check
