#include "check/gpu/requests.h"

#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/verdict.h"
#include "sim/cuda/error_code.h"

namespace check::gpu {

using namespace sim::cuda;

namespace {

// After these the driver refuses everything else that the process asks for.
bool ends_the_context(CUresult result) {
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_UNKNOWN:
        return true;
    default:
        return false;
    }
}

int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    driver().cuDeviceGetAttribute(&value, which, device);
    return value;
}

} // namespace

Info info() {
    const Driver& cu = driver();
    Info all;
    CUdevice device = 0;
    char name[256] = "";
    cu.cuDeviceGet(&device, 0);
    cu.cuDeviceGetName(name, sizeof name, device);
    cu.cuDriverGetVersion(&all.cuda);
    all.name = name;
    all.sm = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
             attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    all.sm_count = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    all.l2_bytes = static_cast<uint64_t>(attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    // Two transfers in a cycle of the memory's clock, which is given in kHz; the width of the bus is given in bits.
    all.peak_bandwidth = 2e3 * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                         attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    return all;
}

std::unique_ptr<GpuDevice> open(const Options& options) {
    return std::make_unique<Requests>(options);
}

Requests::Requests(const Options& options) : options_(options), shared_(true) {
    if (cu_.cuDeviceGet(&device_, 0) || cu_.cuDevicePrimaryCtxRetain(&context_, device_) ||
        cu_.cuCtxSetCurrent(context_))
        throw NoGpu("the GPU cannot be used");
    memory_.emplace(device_);
    streams_.emplace(legacy_stream, CU_STREAM_LEGACY);
    output_ = memfd_create("output", MFD_CLOEXEC);
    std::fflush(stdout);
    stdout_ = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (output_ < 0 || stdout_ < 0 || dup2(output_, 1) < 0)
        throw NoGpu("no file for what kernels print");
}

Requests::~Requests() {
    {
        const std::lock_guard lock(host_calls_->mutex);
        host_calls_->ended = true;
    }
    host_calls_->changed.notify_all();
    if (!lost_)
        drain();
    std::fflush(stdout);
    dup2(stdout_, 1);
    close(stdout_);
    close(output_);
    if (lost_)
        return; // this process is of no more use, and what it has on the GPU goes with it
    for (const auto& [id, module] : modules_)
        cu_.cuModuleUnload(module);
    for (const auto& [id, event] : events_)
        cu_.cuEventDestroy(event);
    for (const auto& [ticket, event] : staging_)
        cu_.cuEventDestroy(event);
    for (const auto& [begin, end] : timed_) {
        cu_.cuEventDestroy(begin);
        cu_.cuEventDestroy(end);
    }
    for (const auto& [id, stream] : streams_)
        if (id != legacy_stream)
            cu_.cuStreamDestroy(stream);
    for (const auto& [address, bytes] : mapped_)
        cu_.cuMemHostUnregister(reinterpret_cast<void*>(address));
    memory_.reset();
}

template <typename Body, void (Requests::*handler)(const Body&, Requests::Payload, Reply&)>
void Requests::typed(std::span<const std::byte> body, Payload payload, Reply& reply) {
    if (body.size() != sizeof(Body))
        throw Refused{error::invalid_value, "a command has the wrong size"};
    Body value;
    std::memcpy(&value, body.data(), sizeof value);
    (this->*handler)(value, payload, reply);
}

// In the order of Command.
const Requests::Handler Requests::handlers[] = {
    &Requests::typed<Hello, &Requests::hello>,
    &Requests::typed<Allocate, &Requests::allocate>,
    &Requests::typed<Release, &Requests::release>,
    &Requests::typed<MapHost, &Requests::map_host>,
    &Requests::typed<UnmapHost, &Requests::unmap_host>,
    &Requests::typed<LoadModule, &Requests::load_module>,
    &Requests::typed<UnloadModule, &Requests::unload_module>,
    &Requests::typed<FindKernel, &Requests::find_kernel>,
    &Requests::typed<FindVariable, &Requests::find_variable>,
    &Requests::typed<CreateStream, &Requests::create_stream>,
    &Requests::typed<DestroyStream, &Requests::destroy_stream>,
    &Requests::typed<CreateEvent, &Requests::create_event>,
    &Requests::typed<DestroyEvent, &Requests::destroy_event>,
    &Requests::typed<Copy, &Requests::copy>,
    &Requests::typed<Fill, &Requests::fill>,
    &Requests::typed<Launch, &Requests::launch>,
    &Requests::typed<HostCall, &Requests::host_call>,
    &Requests::typed<HostCallDone, &Requests::host_call_done>,
    &Requests::typed<FreeAsync, &Requests::free_async>,
    &Requests::typed<RecordEvent, &Requests::record_event>,
    &Requests::typed<StreamWaitEvent, &Requests::stream_wait_event>,
    &Requests::typed<Query, &Requests::query>,
    &Requests::typed<Wait, &Requests::wait>,
    &Requests::typed<Elapsed, &Requests::elapsed>,
    &Requests::typed<MemoryInfo, &Requests::memory_info>,
    &Requests::typed<Report, &Requests::report>,
    &Requests::typed<EncodeMap, &Requests::encode_map>,
};

Reply Requests::handle(const Header& header, std::span<const std::byte> body, Payload payload) {
    static_assert(std::size(handlers) == static_cast<size_t>(Command::count));
    Reply reply;
    try {
        cu_.cuCtxSetCurrent(context_); // on the thread that we are called on
        if (header.command >= Command::count)
            throw Refused{error::not_supported, "unknown command"};
        if (!lost_)
            (this->*handlers[static_cast<size_t>(header.command)])(body, payload, reply);
    } catch (const Refused& refused) {
        reply.error = refused.error;
        reply.message = refused.message;
    } catch (const std::exception& problem) {
        reply.error = error::unknown;
        reply.message = problem.what();
    }
    reply.sticky = lost_;
    if (lost_ && !reply.error)
        reply.error = lost_;
    if (lost_)
        reply.message = lost_message_;
    else
        std::erase_if(staging_, [&](const auto& copy) {
            if (reply.released.size() >= max_released || cu_.cuEventQuery(copy.second) == CUDA_ERROR_NOT_READY)
                return false;
            cu_.cuEventDestroy(copy.second);
            reply.released.push_back(copy.first);
            return true;
        });
    printed(reply);
    return reply;
}

void Requests::printed(Reply& reply) {
    std::fflush(stdout);
    reply.output.resize(max_payload);
    const ssize_t got = pread(output_, reply.output.data(), reply.output.size(), static_cast<off_t>(printed_));
    reply.output.resize(got > 0 ? static_cast<size_t>(got) : 0);
    printed_ += reply.output.size();
}

void Requests::lose(uint32_t error, std::string why) {
    if (lost_)
        return;
    lost_ = error;
    lost_message_ = std::move(why);
}

// The driver's error codes are cudaError_t's, where it matters.
void Requests::checked(CUresult result, const char* what) {
    if (result == CUDA_SUCCESS)
        return;
    if (ends_the_context(result))
        lose(result, error_text(result));
    throw Refused{static_cast<uint32_t>(result), std::string(what) + ": " + error_text(result)};
}

} // namespace check::gpu
