// Requests about memory, and what the checker does with it.
#include <algorithm>
#include <cstring>

#include "check/gpu/requests.h"
#include "check/verdict.h"
#include "sim/cuda/error_code.h"
#include "sim/machine/gpu.h"

namespace check::gpu {

using namespace sim::cuda;

void Requests::hello(const Hello& body, Payload, Reply& reply) {
    if (body.version != protocol_version)
        throw Refused{error::not_supported, "the program was linked with another version of the checker's runtime"};
    const auto get = [&](CUdevice_attribute which) {
        int value = 0;
        cu_.cuDeviceGetAttribute(&value, which, device_);
        return static_cast<uint32_t>(value);
    };
    sim::machine::Properties properties;
    properties.sm =
        10 * get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    properties.sm_count = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (options_.sms)
        properties.sm_count = std::min(properties.sm_count, options_.sms);
    properties.max_threads_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    properties.max_blocks_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    properties.registers_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    properties.shared_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    properties.shared_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    properties.shared_per_block_optin = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    properties.reserved_shared_per_block = get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    size_t total = 0;
    checked(cu_.cuDeviceTotalMem(&total, device_), "the GPU's memory");
    properties.total_memory = total;
    reply.payload.assign(reinterpret_cast<const char*>(&properties), sizeof properties);
}

void Requests::allocate(const Allocate& body, Payload, Reply& reply) {
    reply.values[0] = allocate(body.bytes);
    if (!reply.values[0])
        throw Refused{error::memory_allocation, "the GPU has no room for " + std::to_string(body.bytes) + " bytes"};
}

void Requests::release(const Release& body, Payload, Reply&) {
    drain(); // cudaFree waits for all that might still use the memory
    if (!memory_->release(body.address) && !memory_->inside(body.address, 1)) // modules free their variables
        throw Refused{error::invalid_value, "not the start of an allocation"};
}

void Requests::map_host(const MapHost& body, Payload, Reply&) {
    std::byte* const data = body.bytes ? shared_.at(body.shared, body.bytes) : nullptr;
    if (!data)
        throw Refused{error::invalid_value, "not in the shared memory"};
    if (body.address != body.shared)
        throw Refused{error::not_supported, "registered host memory does not work with --device gpu"};
    checked(cu_.cuMemHostRegister(data, body.bytes, CU_MEMHOSTREGISTER_DEVICEMAP), "pinning host memory");
    mapped_.insert_or_assign(body.address, body.bytes);
}

void Requests::unmap_host(const UnmapHost& body, Payload, Reply&) {
    if (!mapped_.erase(body.address))
        throw Refused{error::invalid_value, "not mapped host memory"};
    drain();
    checked(cu_.cuMemHostUnregister(reinterpret_cast<void*>(body.address)), "unpinning host memory");
}

void Requests::memory_info(const MemoryInfo&, Payload, Reply& reply) {
    size_t free = 0, total = 0;
    checked(cu_.cuMemGetInfo(&free, &total), "the GPU's memory");
    reply.values[0] = free;
    reply.values[1] = total;
}

// It goes when the case ends, and until then the memory is large enough.
void Requests::free_async(const FreeAsync& body, Payload, Reply& reply) {
    stream(body.stream);
    if (!memory_->inside(body.address, 1))
        throw Refused{error::invalid_value, "not the start of an allocation"};
    reply.values[0] = new_id();
}

void Requests::report(const Report&, Payload, Reply&) {} // hazards are the simulated device's business

uint64_t Requests::allocate(size_t bytes) {
    const uint64_t address = memory_->allocate(bytes);
    if (address && cu_.cuMemsetD8(address, 0xDB, bytes))
        return 0;
    drain(); // the host goes on, and other streams do not wait for it
    return address;
}

std::vector<std::byte> Requests::read(uint64_t address, size_t bytes) {
    std::vector<std::byte> contents(bytes);
    if (!memory_->inside(address, bytes))
        throw Failed{Verdict::internal, "check.cpp reads memory that it has not allocated"};
    drain();
    if (const CUresult result = bytes ? cu_.cuMemcpyDtoH(contents.data(), address, bytes) : CUDA_SUCCESS)
        throw Failed{Verdict::cuda_error, "reading the results: " + error_text(result)};
    return contents;
}

void Requests::write(uint64_t address, std::span<const std::byte> contents) {
    if (!memory_->inside(address, contents.size()))
        throw Failed{Verdict::internal, "check.cpp writes memory that it has not allocated"};
    if (contents.empty())
        return;
    if (const CUresult result = cu_.cuMemcpyHtoD(address, contents.data(), contents.size()))
        throw Failed{Verdict::cuda_error, "writing the input: " + error_text(result)};
    // From pageable memory the copy returns when the data is staged; other streams must not start before it is there.
    drain();
}

bool Requests::written_by_kernel(uint64_t address, size_t bytes) {
    for (const auto& [begin, size] : host_written_)
        if (begin < address + bytes && address < begin + size)
            return false;
    return true;
}

} // namespace check::gpu
