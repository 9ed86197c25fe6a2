// Commands about memory.
#include "sim/cuda/error_code.h"
#include "sim/cuda/service.h"

namespace sim::cuda {

void Service::hello(const Hello& body, std::span<const std::byte>, Reply& reply) {
    if (body.version != protocol_version)
        throw Refused{error::not_supported, "the program was linked with another version of the simulated device"};
    const machine::Properties& properties = gpu_.properties();
    reply.payload.assign(reinterpret_cast<const char*>(&properties), sizeof properties);
}

void Service::allocate(const Allocate& body, std::span<const std::byte>, Reply& reply) {
    if (body.bytes == 0)
        throw Refused{error::invalid_value, "an allocation of 0 bytes"};
    reply.values[0] = body.bytes > gpu_.free_bytes() ? 0 : gpu_.allocate(body.bytes);
    if (!reply.values[0])
        throw Refused{error::memory_allocation, "the simulated device has " + std::to_string(gpu_.free_bytes()) +
                                                    " bytes left, but " + std::to_string(body.bytes) +
                                                    " were asked for"};
}

void Service::release(const Release& body, std::span<const std::byte>, Reply&) {
    const machine::Gpu::Range range = gpu_.range(body.address);
    if (range.kind != machine::AllocationKind::device || !gpu_.release(body.address))
        throw Refused{error::invalid_value, "not the start of an allocation"};
}

void Service::map_host(const MapHost& body, std::span<const std::byte>, Reply&) {
    std::byte* data = body.bytes ? shared_.at(body.shared, body.bytes) : nullptr;
    if (!data)
        throw Refused{error::invalid_value, "not in the shared memory"};
    // Registered memory keeps the address that it has in the program; the device's own windows stay free.
    const bool low = body.address < memory::device_base && body.bytes <= memory::device_base - body.address;
    const bool high = body.address >= memory::local_window + memory::local_window_bytes && body.address < uint64_t{1}
                                                                                                              << 47;
    if (body.address != body.shared && !low && !high)
        throw Refused{error::invalid_value, "host memory at an address that the device uses itself"};
    const auto next = mapped_.upper_bound(body.address);
    if (next != mapped_.end() && next->first - body.address < body.bytes)
        throw Refused{error::invalid_value, "host memory mapped twice"};
    if (next != mapped_.begin()) {
        const auto& [address, memory] = *std::prev(next);
        if (body.address - address < memory.size())
            throw Refused{error::invalid_value, "host memory mapped twice"};
    }
    gpu_.map_host(body.address, data, body.bytes,
                  body.managed ? machine::AllocationKind::managed : machine::AllocationKind::host_pinned);
    mapped_.emplace(body.address, std::span(data, body.bytes));
}

std::span<std::byte> Service::host_memory(uint64_t address, uint64_t bytes) const {
    const auto next = mapped_.upper_bound(address);
    if (next == mapped_.begin())
        return {};
    const auto& [begin, memory] = *std::prev(next);
    return address - begin < memory.size() && bytes <= memory.size() - (address - begin)
               ? memory.subspan(address - begin, bytes)
               : std::span<std::byte>{};
}

void Service::unmap_host(const UnmapHost& body, std::span<const std::byte>, Reply&) {
    if (!mapped_.erase(body.address))
        throw Refused{error::invalid_value, "not mapped host memory"};
    gpu_.unmap_host(body.address);
}

void Service::memory_info(const MemoryInfo&, std::span<const std::byte>, Reply& reply) {
    reply.values[0] = gpu_.free_bytes();
    reply.values[1] = gpu_.properties().total_memory;
}

void Service::encode_map(const EncodeMap&, std::span<const std::byte>, Reply&) {
    throw Refused{error::not_supported, "the simulated device's maps are made in the program"};
}

} // namespace sim::cuda
