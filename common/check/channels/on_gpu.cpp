#include <algorithm>
#include <map>
#include <tuple>

#include "check/channels/on_device.h"
#include "check/gpu/cublas.h"
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

    void measure(std::string_view variant, const Work& work, const std::vector<detail::Slot>& slots) override {
        announce(slots);
        prepare(slots);
        if (measured_.empty())
            measured_.push_back(measure_copy());
        const double seconds = median_time([&] { expect_success(launch(slots, 0), {}); });
        const wire::Reply done = synchronise();
        check_device(*server_);
        expect_success({}, done);
        measured_.push_back({std::string(variant), work.bytes, seconds, work.operations, library_time(work, slots)});
    }

  private:
    Measurement measure_copy() {
        const uint64_t from = allocate(MemoryKind::device, bench_bytes()),
                       to = allocate(MemoryKind::device, bench_bytes());
        const double seconds = median_time([&] {
            const auto device = real_.lock();
            gpu_->copy(to, from, bench_bytes());
        });
        return {.variant = "copy", .bytes = 2 * bench_bytes(), .seconds = seconds};
    }

    // cuBLAS, with the same operands, whose bits decide how much power a product takes; 0: it is not installed.
    double library_time(const Work& work, const std::vector<detail::Slot>& slots) {
        const auto [m, n, k] = work.product;
        const auto product = std::tuple{m, n, k};
        if (!m || library_.contains(product))
            return m ? library_[product] : 0;
        const uint64_t result = allocate(MemoryKind::device, m * n * sizeof(uint16_t));
        const gpu::Product one{m, n, k, slots.at(0).bits, slots.at(1).bits, result};
        const auto device = real_.lock();
        gpu_->drain(); // which also makes its context this thread's
        return library_[product] = median(gpu::cublas_times(one, warm_up, runs));
    }

    // Does not wait between the runs, so that the GPU is never idle: a time is that of the work alone.
    double median_time(const std::function<void()>& work) {
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
        return median(gpu_->times());
    }

    static double median(std::vector<double> times) {
        if (times.empty())
            return 0;
        const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle;
    }

    static constexpr int warm_up = 5, runs = 31;
    std::map<std::tuple<uint64_t, uint64_t, uint64_t>, double> library_; ///< seconds, by the size of the product
};

} // namespace

std::unique_ptr<Channel> on_gpu(const RunConfig& config) {
    return std::make_unique<OnGpu>(config);
}

} // namespace check
