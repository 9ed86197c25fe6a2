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
    gpu_.allocated_at(address, streams_.site());
    return {address};
}

template <>
Allocate::Result RealGpu::carry_out(const Allocate& allocate, Payload, Reply&) {
    const uint64_t address = this->allocate(allocate.bytes);
    if (!address)
        throw Refused{error::memory_allocation, "the GPU has no room for " + std::to_string(allocate.bytes) + " bytes"};
    return {address};
}

// --- AllocateAsync ---

void Service::reserve_for_graph(const AllocateAsync& allocate) {
    const machine::Gpu::Range range = gpu_.range(allocate.address);
    if (range.address != allocate.address || range.bytes < allocate.bytes ||
        range.kind != machine::AllocationKind::device)
        throw Refused{error::invalid_value, "not the start of an allocation"};
    if (of_graphs_.insert(allocate.address).second)
        gpu_.in_stream_order(allocate.address, streams_.site());
}

template <>
AllocateAsync::Result Service::carry_out(const AllocateAsync& allocate, Payload payload, Reply& reply) {
    check_stream(allocate.stream);
    uint64_t address = allocate.address;
    if (address) {
        reserve_for_graph(allocate);
    } else {
        address = carry_out(Allocate{allocate.bytes}, payload, reply).address;
        gpu_.in_stream_order(address, streams_.site());
    }
    Streams::Issue issue;
    issue.work = [this, address](const machine::Order& order) -> uint64_t {
        gpu_.allocated(address, order);
        return 0;
    };
    streams_.issue(allocate.stream, std::move(issue));
    return {address};
}

template <>
AllocateAsync::Result RealGpu::carry_out(const AllocateAsync& allocate, Payload payload, Reply& reply) {
    stream(allocate.stream);
    if (allocate.address)
        return {allocate.address};
    return {carry_out(Allocate{allocate.bytes}, payload, reply).address};
}

// --- Release ---

void Service::freed(uint64_t address) {
    if (of_graphs_.contains(address))
        return;
    freed_.push_back({address, gpu_.next_operation() - 1});
}

void Service::release_freed() {
    std::erase_if(freed_, [&](const Freed& one) {
        if (!running_.empty() || !streams_.all_after(one.by))
            return false;
        gpu_.release(one.address);
        return true;
    });
}

template <>
void Service::carry_out(const Release& release, Payload, Reply&) {
    const machine::Gpu::Range range = gpu_.range(release.address);
    if (range.address != release.address || range.kind != machine::AllocationKind::device ||
        gpu_.is_freed(range.address))
        throw Refused{error::invalid_value, "not the start of an allocation"};
    if (!gpu_.is_in_stream_order(release.address)) {
        gpu_.release(release.address, "cudaFree", streams_.site());
        return;
    }
    machine::Order order = streams_.host_access(streams_.site(), nullptr);
    order.by_host = false;
    gpu_.free(release.address, order, "cudaFree");
    streams_.host_has_accessed(gpu_.next_operation() - 1, nullptr);
    freed(release.address);
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
    gpu_.in_stream_order(free.address, 0);
    Streams::Issue issue;
    const auto self = std::make_shared<std::weak_ptr<Operation>>();
    issue.work = [this, self, address = free.address](const machine::Order& order) -> uint64_t {
        if (gpu_.is_freed(address))
            return 0;
        gpu_.free(address, order, "cudaFreeAsync");
        if (const auto operation = self->lock(); operation && running_.empty() && !of_graphs_.contains(address) &&
                                                 streams_.all_after(operation->stream, operation->position))
            gpu_.release(address);
        else
            freed(address);
        return 0;
    };
    const Operation::Ptr operation = streams_.issue(free.stream, std::move(issue));
    *self = operation;
    return {operation->ticket};
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
    gpu_.allocated_at(map.address, streams_.site());
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
    gpu_.unmap_host(unmap.address, in_host_range(unmap.address) ? streams_.site() : 0);
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
