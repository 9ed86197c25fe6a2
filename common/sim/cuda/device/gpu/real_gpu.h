// A real GPU as the device behind a program's CUDA runtime: NVIDIA's driver API, in the checker's process. The program
// is not trusted: sizes, addresses and handles are checked before the driver sees them. A kernel can reach all memory
// of this process that the GPU can reach. It gains little by that: points for hazards and mechanisms come from the
// simulated device, not from here.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cuda/device/dispatch.h"
#include "sim/cuda/device/gpu/driver.h"
#include "sim/cuda/device/gpu/host_calls.h"
#include "sim/cuda/device/gpu/memory.h"
#include "sim/cuda/device/gpu/options.h"
#include "sim/cuda/device/gpu/stopwatch.h"
#include "sim/cuda/device/shared_memory.h"

namespace sim::cuda {

class RealGpu {
  public:
    /// The first GPU. A process may open one after the other until one is lost. Throws gpu::NoGpu.
    explicit RealGpu(const gpu::Options& options);
    ~RealGpu();
    RealGpu(const RealGpu&) = delete;

    /// Carries out one command. `body` and `payload` may hold anything. Never throws.
    Reply handle(const Header& header, std::span<const std::byte> body, Payload payload);
    const SharedMemory& shared() const { return shared_; }
    /// Waits until the GPU is idle.
    void drain();

    // Operations of the owner itself. Addresses are the device's.
    uint64_t allocate(size_t bytes);                   ///< holds 0xDB; 0: none is left
    bool inside(uint64_t address, size_t bytes) const; ///< is it inside one allocation?
    CUresult read(std::span<std::byte> to, uint64_t address);
    CUresult write(uint64_t address, std::span<const std::byte> from);
    void copy(uint64_t destination, uint64_t source, uint64_t bytes); ///< as the program could; throws Refused
    /// Has neither a copy nor a set written into it since the last launch, or since forget_writes()?
    bool written_by_kernel(uint64_t address, size_t bytes) const;
    void forget_writes() { host_written_.clear(); }

    void start_timing() { stopwatch_.start(); } ///< with the next copy, set or launch
    void stop_timing() { stopwatch_.stop(); }   ///< behind the last one
    /// Seconds from each start to its stop; waits for the GPU.
    std::vector<double> times();

  private:
    struct Kernel {
        CUfunction function = nullptr;
        uint64_t module = 0;
        uint32_t static_shared = 0, parameter_bytes = 0;
        bool required_cluster = false;
    };

    /// Carries out one command; specialised for each in commands/. Throws Refused.
    template <typename Body>
    typename Body::Result carry_out(const Body& body, Payload payload, Reply& reply);

    /// Throws Refused; an error that ends the context's life loses the device, too.
    void checked(CUresult result, const char* what);
    void lose(uint32_t error, std::string why);
    CUstream stream(uint64_t id) const;                 ///< throws Refused
    CUevent event(uint64_t id) const;                   ///< throws Refused
    CUresult state(Target target, uint64_t what) const; ///< CUDA_ERROR_NOT_READY: not complete
    bool wait_for(Target target, uint64_t what);        ///< false: a host call has to be made first
    bool interrupted() const { return options_.interrupt && *options_.interrupt; }
    uint32_t dynamic_shared(const Launch& launch, const Kernel& kernel); ///< bytes that the launch asks the driver for
    void pad_shared(CUfunction function, uint64_t static_shared, uint32_t& dynamic, uint64_t granted);
    void operation_begins(CUstream stream) { checked(stopwatch_.operation_begins(stream), "recording an event"); }
    void release_staging(Reply& reply);
    void printed(Reply& reply);
    uint64_t new_id() { return next_id_++; }

    const gpu::Driver& cu_ = gpu::driver();
    gpu::Options options_;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    SharedMemory shared_;
    std::optional<gpu::Memory> memory_;
    std::map<uint64_t, uint64_t> mapped_; ///< host memory that the GPU may reach: address, bytes
    std::map<uint64_t, CUmodule> modules_;
    std::map<uint64_t, Kernel> kernels_;
    std::map<uint64_t, CUstream> streams_;
    std::map<uint64_t, CUevent> events_;
    std::map<uint64_t, CUevent> staging_; ///< ticket of a copy from staging memory, and the event at its end
    std::vector<std::pair<uint64_t, uint64_t>> host_written_; ///< since the last launch: address, bytes
    std::shared_ptr<gpu::HostCalls> host_calls_ = std::make_shared<gpu::HostCalls>();
    gpu::Stopwatch stopwatch_;
    uint64_t next_id_ = 100;
    uint32_t lost_ = 0; ///< the CUDA error that ended the device's life, or 0
    std::string lost_message_;
    int output_ = -1, stdout_ = -1; ///< kernels print to a file of ours instead of the checker's output
    size_t printed_ = 0;            ///< how much of that has been sent
};

} // namespace sim::cuda
