// The GPU's side of each request; see sim/cuda/command.h.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "check/gpu/device.h"
#include "check/gpu/driver.h"
#include "check/gpu/memory.h"

namespace check::gpu {

/// A request that fails with a CUDA error code.
struct Refused {
    uint32_t error;
    std::string message;
};

class Requests : public GpuDevice {
  public:
    explicit Requests(const Options& options);
    ~Requests() override;

    sim::cuda::Reply handle(const sim::cuda::Header& header, std::span<const std::byte> body,
                            std::span<const std::byte> payload) override;
    const sim::cuda::SharedMemory& shared() const override { return shared_; }
    void drain() override;
    uint64_t allocate(size_t bytes) override;
    std::vector<std::byte> read(uint64_t address, size_t bytes) override;
    void write(uint64_t address, std::span<const std::byte> contents) override;
    void call_begins() override { host_written_.clear(); }
    bool written_by_kernel(uint64_t address, size_t bytes) override;

    void start_timing() override { timing_ = starting_ = true; }
    void stop_timing() override;
    std::vector<double> times() override;
    void copy(uint64_t destination, uint64_t source, uint64_t bytes) override;

  private:
    using Payload = std::span<const std::byte>;
    using Handler = void (Requests::*)(std::span<const std::byte>, Payload, sim::cuda::Reply&);
    static const Handler handlers[];
    template <typename Body, void (Requests::*handler)(const Body&, Payload, sim::cuda::Reply&)>
    void typed(std::span<const std::byte> body, Payload payload, sim::cuda::Reply& reply);

    // requests_memory.cpp
    void hello(const sim::cuda::Hello&, Payload, sim::cuda::Reply&);
    void allocate(const sim::cuda::Allocate&, Payload, sim::cuda::Reply&);
    void release(const sim::cuda::Release&, Payload, sim::cuda::Reply&);
    void map_host(const sim::cuda::MapHost&, Payload, sim::cuda::Reply&);
    void unmap_host(const sim::cuda::UnmapHost&, Payload, sim::cuda::Reply&);
    void memory_info(const sim::cuda::MemoryInfo&, Payload, sim::cuda::Reply&);
    void free_async(const sim::cuda::FreeAsync&, Payload, sim::cuda::Reply&);
    void report(const sim::cuda::Report&, Payload, sim::cuda::Reply&);
    // requests_work.cpp
    void load_module(const sim::cuda::LoadModule&, Payload, sim::cuda::Reply&);
    void unload_module(const sim::cuda::UnloadModule&, Payload, sim::cuda::Reply&);
    void find_kernel(const sim::cuda::FindKernel&, Payload, sim::cuda::Reply&);
    void find_variable(const sim::cuda::FindVariable&, Payload, sim::cuda::Reply&);
    void copy(const sim::cuda::Copy&, Payload, sim::cuda::Reply&);
    void fill(const sim::cuda::Fill&, Payload, sim::cuda::Reply&);
    void launch(const sim::cuda::Launch&, Payload, sim::cuda::Reply&);
    void encode_map(const sim::cuda::EncodeMap&, Payload, sim::cuda::Reply&);
    // requests_stream.cpp
    void create_stream(const sim::cuda::CreateStream&, Payload, sim::cuda::Reply&);
    void destroy_stream(const sim::cuda::DestroyStream&, Payload, sim::cuda::Reply&);
    void create_event(const sim::cuda::CreateEvent&, Payload, sim::cuda::Reply&);
    void destroy_event(const sim::cuda::DestroyEvent&, Payload, sim::cuda::Reply&);
    void record_event(const sim::cuda::RecordEvent&, Payload, sim::cuda::Reply&);
    void stream_wait_event(const sim::cuda::StreamWaitEvent&, Payload, sim::cuda::Reply&);
    void host_call(const sim::cuda::HostCall&, Payload, sim::cuda::Reply&);
    void host_call_done(const sim::cuda::HostCallDone&, Payload, sim::cuda::Reply&);
    void query(const sim::cuda::Query&, Payload, sim::cuda::Reply&);
    void wait(const sim::cuda::Wait&, Payload, sim::cuda::Reply&);
    void elapsed(const sim::cuda::Elapsed&, Payload, sim::cuda::Reply&);

    struct Kernel {
        CUfunction function = nullptr;
        uint64_t module = 0;
        uint32_t static_shared = 0, parameter_bytes = 0;
        bool required_cluster = false;
    };
    struct Side { // of a copy
        uint64_t address, pitch, slice;
    };

    /// Throws Refused; an error that ends the context's life loses the device, too.
    void checked(CUresult result, const char* what);
    void lose(uint32_t error, std::string why);
    CUstream stream(uint64_t id) const;
    CUevent event(uint64_t id) const;
    void check_side(const Side& side, const sim::cuda::Copy& copy, const char* which) const;
    CUresult state(sim::cuda::Target target, uint64_t what) const; ///< CUDA_ERROR_NOT_READY: not complete
    bool wait_for(sim::cuda::Target target, uint64_t what);        ///< false: a host call has to be made first
    bool interrupted() const { return options_.interrupt && *options_.interrupt; }
    void pad_shared(CUfunction function, uint64_t static_shared, uint32_t& dynamic, uint64_t granted);
    void operation_begins(CUstream stream);
    void printed(sim::cuda::Reply& reply);
    uint64_t new_id() { return next_id_++; }

    const Driver& cu_ = driver();
    Options options_;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    sim::cuda::SharedMemory shared_;
    std::optional<Memory> memory_;
    std::map<uint64_t, uint64_t> mapped_; ///< host memory that the GPU may reach: address, bytes
    std::map<uint64_t, CUmodule> modules_;
    std::map<uint64_t, Kernel> kernels_;
    std::map<uint64_t, CUstream> streams_;
    std::map<uint64_t, CUevent> events_;
    std::map<uint64_t, CUevent> staging_; ///< ticket of a copy from staging memory, and what it ends with
    std::vector<std::pair<uint64_t, uint64_t>> host_written_; ///< since the last launch: address, bytes
    uint64_t next_id_ = 100;
    uint32_t lost_ = 0;
    std::string lost_message_;

    // A function of the program in a stream: the driver calls ours, which waits until the program has made the call.
    struct HostCalls {
        std::mutex mutex;
        std::condition_variable changed;
        uint64_t due = 0; ///< token; 0: none
        bool given_out = false;
        std::set<uint64_t> done;
        bool ended = false;
    };
    struct Due {
        std::shared_ptr<HostCalls> calls;
        uint64_t token;
    };
    static void due(void* call);
    std::shared_ptr<HostCalls> host_calls_ = std::make_shared<HostCalls>();

    bool timing_ = false, starting_ = false;
    CUstream timed_stream_ = nullptr;
    std::vector<std::pair<CUevent, CUevent>> timed_;

    int output_ = -1, stdout_ = -1; ///< kernels print to a file of ours instead of the checker's output
    size_t printed_ = 0;
};

} // namespace check::gpu
