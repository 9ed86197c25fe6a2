#include "check/gpu/device.h"

#include "check/verdict.h"
#include "sim/cuda/device/gpu/real_gpu.h"

namespace check::gpu {

namespace {

class Opened : public GpuDevice {
  public:
    explicit Opened(const Options& options) : gpu_(options) {}

    sim::cuda::Reply handle(const sim::cuda::Header& header, std::span<const std::byte> body,
                            std::span<const std::byte> payload) override {
        return gpu_.handle(header, body, payload);
    }
    const sim::cuda::SharedMemory& shared() const override { return gpu_.shared(); }
    void drain() override { gpu_.drain(); }
    uint64_t allocate(size_t bytes) override { return gpu_.allocate(bytes); }
    std::vector<std::byte> read(uint64_t address, size_t bytes) override {
        if (!gpu_.inside(address, bytes))
            throw Failed{Verdict::internal, "check.cpp reads memory that it has not allocated"};
        std::vector<std::byte> contents(bytes);
        if (const CUresult result = gpu_.read(contents, address))
            throw Failed{Verdict::cuda_error, "reading the results: " + sim::cuda::gpu::error_text(result)};
        return contents;
    }
    void write(uint64_t address, std::span<const std::byte> contents) override {
        if (!gpu_.inside(address, contents.size()))
            throw Failed{Verdict::internal, "check.cpp writes memory that it has not allocated"};
        if (const CUresult result = gpu_.write(address, contents))
            throw Failed{Verdict::cuda_error, "writing the input: " + sim::cuda::gpu::error_text(result)};
    }
    void call_begins() override { gpu_.forget_writes(); }
    bool written_by_kernel(uint64_t address, size_t bytes) override { return gpu_.written_by_kernel(address, bytes); }

    void start_timing() override { gpu_.start_timing(); }
    void stop_timing() override { gpu_.stop_timing(); }
    std::vector<double> times() override { return gpu_.times(); }
    void copy(uint64_t destination, uint64_t source, uint64_t bytes) override { gpu_.copy(destination, source, bytes); }

  private:
    sim::cuda::RealGpu gpu_;
};

} // namespace

std::unique_ptr<GpuDevice> open(const Options& options) {
    return std::make_unique<Opened>(options);
}

} // namespace check::gpu
