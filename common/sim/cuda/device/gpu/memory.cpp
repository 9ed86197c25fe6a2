#include "sim/cuda/device/gpu/memory.h"

#include "sim/cuda/wire/command.h"

namespace sim::cuda::gpu {

namespace {

constexpr uint64_t room = uint64_t{1} << 38; // of addresses, not of memory

CUmemAllocationProp properties(CUdevice device) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    return properties;
}

} // namespace

Memory::Memory(CUdevice device) : device_(device) {
    const CUmemAllocationProp wanted = properties(device);
    size_t granularity = 0;
    CUdeviceptr base = 0;
    if (driver().cuMemGetAllocationGranularity(&granularity, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ||
        driver().cuMemAddressReserve(&base, room, 0, device_base, 0))
        throw NoGpu("the GPU's driver gives no addresses for the checker's memory");
    granularity_ = granularity;
    base_ = next_ = base;
    if (base < device_base || base - device_base > device_bytes - room)
        throw NoGpu("the GPU's driver does not place memory where the checker needs it");
}

Memory::~Memory() {
    while (!blocks_.empty()) {
        const uint64_t address = blocks_.begin()->first;
        if (!release(address))
            blocks_.erase(address);
    }
    driver().cuMemAddressFree(base_, room);
}

uint64_t Memory::allocate(uint64_t bytes) {
    if (bytes == 0 || bytes > room)
        return 0;
    Block block;
    block.bytes = bytes;
    block.mapped = (bytes + granularity_ - 1) / granularity_ * granularity_;
    if (next_ + block.mapped + granularity_ > base_ + room)
        return 0;
    const CUmemAllocationProp wanted = properties(device_);
    if (driver().cuMemCreate(&block.handle, block.mapped, &wanted, 0))
        return 0;
    CUmemAccessDesc access{};
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const uint64_t address = next_;
    if (driver().cuMemMap(address, block.mapped, 0, block.handle, 0)) {
        driver().cuMemRelease(block.handle);
        return 0;
    }
    if (driver().cuMemSetAccess(address, block.mapped, &access, 1)) {
        driver().cuMemUnmap(address, block.mapped);
        driver().cuMemRelease(block.handle);
        return 0;
    }
    next_ += block.mapped + granularity_;
    blocks_.emplace(address, block);
    return address;
}

bool Memory::release(uint64_t address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end() || !found->second.mapped)
        return false;
    driver().cuMemUnmap(address, found->second.mapped);
    driver().cuMemRelease(found->second.handle);
    blocks_.erase(found);
    return true;
}

bool Memory::inside(uint64_t address, uint64_t bytes) const {
    auto next = blocks_.upper_bound(address);
    if (next == blocks_.begin())
        return false;
    const auto& [begin, block] = *std::prev(next);
    return address - begin <= block.bytes && bytes <= block.bytes - (address - begin);
}

void Memory::add(uint64_t address, uint64_t bytes) {
    blocks_.emplace(address, Block{bytes, 0, 0});
}

} // namespace sim::cuda::gpu
