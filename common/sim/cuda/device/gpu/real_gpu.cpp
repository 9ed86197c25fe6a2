#include "sim/cuda/device/gpu/real_gpu.h"

#include <algorithm>
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sim::cuda {

RealGpu::RealGpu(const gpu::Options& options) : options_(options), shared_(true) {
    if (cu_.cuDeviceGet(&device_, 0) || cu_.cuDevicePrimaryCtxRetain(&context_, device_) ||
        cu_.cuCtxSetCurrent(context_))
        throw gpu::NoGpu("the GPU cannot be used");
    memory_.emplace(device_);
    streams_.emplace(legacy_stream, CU_STREAM_LEGACY);
    output_ = memfd_create("output", MFD_CLOEXEC);
    std::fflush(stdout);
    stdout_ = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (output_ < 0 || stdout_ < 0 || dup2(output_, 1) < 0)
        throw gpu::NoGpu("no file for what kernels print");
}

RealGpu::~RealGpu() {
    host_calls_->end();
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
    stopwatch_.clear();
    for (const auto& [id, stream] : streams_)
        if (id != legacy_stream)
            cu_.cuStreamDestroy(stream);
    for (const auto& [address, bytes] : mapped_)
        cu_.cuMemHostUnregister(reinterpret_cast<void*>(address));
    memory_.reset();
}

Reply RealGpu::handle(const Header& header, std::span<const std::byte> body, Payload payload) {
    Reply reply;
    try {
        cu_.cuCtxSetCurrent(context_); // on the thread that we are called on
        if (!lost_)
            dispatch(header.command, body, reply,
                     [&](const auto& command) { return carry_out(command, payload, reply); });
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
        release_staging(reply);
    printed(reply);
    return reply;
}

void RealGpu::release_staging(Reply& reply) {
    std::erase_if(staging_, [&](const auto& copy) {
        if (reply.released.size() >= max_released || cu_.cuEventQuery(copy.second) == CUDA_ERROR_NOT_READY)
            return false;
        cu_.cuEventDestroy(copy.second);
        reply.released.push_back(copy.first);
        return true;
    });
}

void RealGpu::printed(Reply& reply) {
    std::fflush(stdout);
    reply.output.resize(max_payload);
    const ssize_t got = pread(output_, reply.output.data(), reply.output.size(), static_cast<off_t>(printed_));
    reply.output.resize(got > 0 ? static_cast<size_t>(got) : 0);
    printed_ += reply.output.size();
}

void RealGpu::lose(uint32_t error, std::string why) {
    if (lost_)
        return;
    lost_ = error;
    lost_message_ = std::move(why);
}

// The driver's error codes are cudaError_t's, where it matters.
void RealGpu::checked(CUresult result, const char* what) {
    if (result == CUDA_SUCCESS)
        return;
    if (gpu::ends_the_context(result))
        lose(result, gpu::error_text(result));
    throw Refused{static_cast<uint32_t>(result), std::string(what) + ": " + gpu::error_text(result)};
}

CUstream RealGpu::stream(uint64_t id) const {
    const auto found = streams_.find(id);
    if (found == streams_.end())
        throw Refused{error::invalid_resource_handle, "no such stream"};
    return found->second;
}

CUevent RealGpu::event(uint64_t id) const {
    const auto found = events_.find(id);
    if (found == events_.end())
        throw Refused{error::invalid_resource_handle, "no such event"};
    return found->second;
}

CUresult RealGpu::state(Target target, uint64_t what) const {
    switch (target) {
    case Target::stream:
        return cu_.cuStreamQuery(stream(what));
    case Target::event:
        return cu_.cuEventQuery(event(what));
    case Target::device:
        for (const auto& [id, one] : streams_)
            if (const CUresult result = cu_.cuStreamQuery(one))
                return result;
        return CUDA_SUCCESS;
    }
    throw Refused{error::invalid_value, "unknown target"};
}

// Asks instead of waiting, so that a kernel that does not end can be left behind.
bool RealGpu::wait_for(Target target, uint64_t what) {
    for (int asked = 0;; ++asked) {
        const CUresult result = state(target, what);
        if (result != CUDA_ERROR_NOT_READY) {
            checked(result, "waiting for the GPU");
            return true;
        }
        if (host_calls_->is_due())
            return false;
        if (interrupted()) {
            lose(error::launch_timeout, "the work on the GPU was still running when time was up");
            throw Refused{lost_, lost_message_};
        }
        if (asked > 1000)
            usleep(20);
    }
}

void RealGpu::drain() {
    try {
        cu_.cuCtxSetCurrent(context_);
        wait_for(Target::device, 0);
    } catch (const Refused&) { // the next request fails with it
    }
}

// --- What the owner does ---

uint64_t RealGpu::allocate(size_t bytes) {
    const uint64_t address = memory_->allocate(bytes);
    if (address && cu_.cuMemsetD8(address, 0xDB, bytes))
        return 0;
    drain(); // the host goes on, and other streams do not wait for it
    return address;
}

bool RealGpu::inside(uint64_t address, size_t bytes) const {
    return memory_->inside(address, bytes);
}

CUresult RealGpu::read(std::span<std::byte> to, uint64_t address) {
    drain();
    return to.empty() ? CUDA_SUCCESS : cu_.cuMemcpyDtoH(to.data(), address, to.size());
}

CUresult RealGpu::write(uint64_t address, std::span<const std::byte> from) {
    if (from.empty())
        return CUDA_SUCCESS;
    if (const CUresult result = cu_.cuMemcpyHtoD(address, from.data(), from.size()))
        return result;
    // From pageable memory the copy returns when the data is staged; other streams must not start before it is there.
    drain();
    return CUDA_SUCCESS;
}

void RealGpu::copy(uint64_t destination, uint64_t source, uint64_t bytes) {
    const CUstream in = stream(legacy_stream);
    operation_begins(in);
    checked(cu_.cuMemcpyAsync(destination, source, bytes, in), "cudaMemcpyAsync");
}

bool RealGpu::written_by_kernel(uint64_t address, size_t bytes) const {
    return std::none_of(host_written_.begin(), host_written_.end(), [&](const auto& written) {
        return written.first < address + bytes && address < written.first + written.second;
    });
}

std::vector<double> RealGpu::times() {
    drain();
    return stopwatch_.times();
}

} // namespace sim::cuda
