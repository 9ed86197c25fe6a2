#include "sim/memory/global_memory.h"

#include <cstring>
#include <sys/mman.h>

namespace sim::memory {
namespace {

constexpr uint64_t alignment = 512;
constexpr uint64_t gap = 4096;
constexpr uint64_t poison_limit =
    64ull << 20; // larger allocations stay lazily mapped zeros: poisoning would touch them

} // namespace

GlobalMemory::~GlobalMemory() {
    for (auto& [address, allocation] : allocations_)
        if (allocation.live && allocation.owned)
            munmap(allocation.data, allocation.bytes);
}

Allocation* GlobalMemory::allocate(uint64_t bytes, AllocationKind kind, std::string label) {
    if (bytes == 0 || bytes > free_bytes_ || bytes > device_base + device_bytes - next_)
        return nullptr;
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return nullptr;
    const bool variable = kind == AllocationKind::module_variable || kind == AllocationKind::constant; // zero at first
    if (bytes <= poison_limit && !variable)
        std::memset(data, poison, bytes);
    const uint64_t address = next_;
    next_ += (bytes + gap + alignment - 1) / alignment * alignment;
    free_bytes_ -= bytes;
    Allocation& allocation = allocations_[address];
    allocation.address = address;
    allocation.bytes = bytes;
    allocation.data = static_cast<std::byte*>(data);
    allocation.kind = kind;
    allocation.live = true;
    allocation.label = std::move(label);
    return &allocation;
}

bool GlobalMemory::release(uint64_t address, std::string_view by) {
    auto it = allocations_.find(address);
    if (it == allocations_.end() || !it->second.live || !it->second.owned)
        return false;
    Allocation& allocation = it->second;
    munmap(allocation.data, allocation.bytes);
    free_bytes_ += allocation.bytes;
    allocation.data = nullptr;
    allocation.live = false;
    if (!by.empty())
        allocation.freed_by = by;
    allocation.shadow.reset();
    return true;
}

Allocation* GlobalMemory::map_host(uint64_t address, std::byte* data, uint64_t bytes, AllocationKind kind) {
    // Gone is what is remembered of freed memory there.
    auto first = allocations_.lower_bound(address);
    if (first != allocations_.begin())
        if (const Allocation& before = std::prev(first)->second; !before.live && before.holds(address, 1))
            --first;
    last_ = nullptr;
    allocations_.erase(first, allocations_.lower_bound(address + bytes));
    Allocation& allocation = allocations_[address];
    allocation.address = address;
    allocation.bytes = bytes;
    allocation.data = data;
    allocation.kind = kind;
    allocation.live = true;
    allocation.owned = false;
    return &allocation;
}

void GlobalMemory::unmap_host(uint64_t address, bool freed) {
    last_ = nullptr;
    const auto found = allocations_.find(address);
    if (!freed || found == allocations_.end()) {
        allocations_.erase(address);
        return;
    }
    Allocation& allocation = found->second;
    allocation.data = nullptr;
    allocation.live = false;
    allocation.shadow.reset();
}

Allocation* GlobalMemory::find_slow(uint64_t address) const {
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin())
        return nullptr;
    --it;
    auto* found = const_cast<Allocation*>(&it->second);
    if (found->live)
        last_ = found;
    return found;
}

} // namespace sim::memory
