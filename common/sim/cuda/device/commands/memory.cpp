// Allocations, and host memory that the device may reach.
#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

// --- Allocate ---

template <>
Allocate::Result Service::carry_out(const Allocate& allocate, Payload, Reply&) {
    if (allocate.bytes == 0)
        throw Refused{error::invalid_value, "an allocation of 0 bytes"};
    const uint64_t address = allocate.bytes > gpu_.free_bytes() ? 0 : gpu_.allocate(allocate.bytes);
    if (!address)
        throw Refused{error::memory_allocation, "the simulated device has " + std::to_string(gpu_.free_bytes()) +
                                                    " bytes left, but " + std::to_string(allocate.bytes) +
                                                    " were asked for"};
    return {address};
}

template <>
Allocate::Result RealGpu::carry_out(const Allocate& allocate, Payload, Reply&) {
    const uint64_t address = this->allocate(allocate.bytes);
    if (!address)
        throw Refused{error::memory_allocation, "the GPU has no room for " + std::to_string(allocate.bytes) + " bytes"};
    return {address};
}

// --- Release ---

template <>
void Service::carry_out(const Release& release, Payload, Reply&) {
    const machine::Gpu::Range range = gpu_.range(release.address);
    if (range.kind != machine::AllocationKind::device || !gpu_.release(release.address, "cudaFree"))
        throw Refused{error::invalid_value, "not the start of an allocation"};
}

template <>
void RealGpu::carry_out(const Release& release, Payload, Reply&) {
    drain(); // cudaFree waits for all that might still use the memory
    // Programs release the variables of modules, too; these stay.
    if (!memory_->release(release.address) && !memory_->inside(release.address, 1))
        throw Refused{error::invalid_value, "not the start of an allocation"};
}

// --- FreeAsync ---

template <>
Ticket Service::carry_out(const FreeAsync& free, Payload, Reply&) {
    check_stream(free.stream);
    const machine::Gpu::Range range = gpu_.range(free.address);
    if (range.address != free.address || !range.bytes || range.kind != machine::AllocationKind::device)
        throw Refused{error::invalid_value, "not the start of an allocation"};
    Streams::Issue issue;
    issue.work = [this, address = free.address](const machine::Order&) -> uint64_t {
        gpu_.release(address, "cudaFreeAsync");
        return 0;
    };
    return {streams_.issue(free.stream, std::move(issue))->ticket};
}

// The memory is freed when the case ends; there is enough of it until then.
template <>
Ticket RealGpu::carry_out(const FreeAsync& free, Payload, Reply&) {
    stream(free.stream);
    if (!memory_->inside(free.address, 1))
        throw Refused{error::invalid_value, "not the start of an allocation"};
    return {new_id()};
}

// --- MapHost ---

namespace {

std::byte* shared_block(const SharedMemory& shared, const MapHost& map) {
    std::byte* const data = map.bytes ? shared.at(map.shared, map.bytes) : nullptr;
    if (!data)
        throw Refused{error::invalid_value, "not in the shared memory"};
    return data;
}

} // namespace

template <>
void Service::carry_out(const MapHost& map, Payload, Reply&) {
    std::byte* const data = shared_block(shared_, map);
    // Registered memory keeps the address that it has in the program; the device's own windows stay free.
    constexpr uint64_t windows_end = memory::local_window + memory::local_window_bytes;
    const bool low = map.address < memory::device_base && map.bytes <= memory::device_base - map.address;
    const bool high = map.address >= windows_end && map.address < uint64_t{1} << 47;
    if (map.address != map.shared && !low && !high)
        throw Refused{error::invalid_value, "host memory at an address that the device uses itself"};
    const auto next = mapped_.upper_bound(map.address);
    if (next != mapped_.end() && next->first - map.address < map.bytes)
        throw Refused{error::invalid_value, "host memory mapped twice"};
    if (next != mapped_.begin()) {
        const auto& [address, memory] = *std::prev(next);
        if (map.address - address < memory.size())
            throw Refused{error::invalid_value, "host memory mapped twice"};
    }
    gpu_.map_host(map.address, data, map.bytes,
                  map.managed ? machine::AllocationKind::managed : machine::AllocationKind::host_pinned);
    mapped_.emplace(map.address, std::span(data, map.bytes));
}

template <>
void RealGpu::carry_out(const MapHost& map, Payload, Reply&) {
    std::byte* const data = shared_block(shared_, map);
    if (map.address != map.shared)
        throw Refused{error::not_supported, "registered host memory does not work with --device gpu"};
    checked(cu_.cuMemHostRegister(data, map.bytes, CU_MEMHOSTREGISTER_DEVICEMAP), "pinning host memory");
    mapped_.insert_or_assign(map.address, map.bytes);
}

// --- UnmapHost ---

template <>
void Service::carry_out(const UnmapHost& unmap, Payload, Reply&) {
    if (!mapped_.erase(unmap.address))
        throw Refused{error::invalid_value, "not mapped host memory"};
    gpu_.unmap_host(unmap.address);
}

template <>
void RealGpu::carry_out(const UnmapHost& unmap, Payload, Reply&) {
    if (!mapped_.erase(unmap.address))
        throw Refused{error::invalid_value, "not mapped host memory"};
    drain();
    checked(cu_.cuMemHostUnregister(reinterpret_cast<void*>(unmap.address)), "unpinning host memory");
}

// --- MemoryInfo ---

template <>
MemoryInfo::Result Service::carry_out(const MemoryInfo&, Payload, Reply&) {
    return {gpu_.free_bytes(), gpu_.properties().total_memory};
}

template <>
MemoryInfo::Result RealGpu::carry_out(const MemoryInfo&, Payload, Reply&) {
    size_t free = 0, total = 0;
    checked(cu_.cuMemGetInfo(&free, &total), "the GPU's memory");
    return {free, total};
}

} // namespace sim::cuda
