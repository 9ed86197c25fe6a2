// Global memory of the simulated device: allocations in a fixed address range, with gaps so that running off the end of
// one is noticed, and without re-using addresses so that use after free is.
#pragma once

#include <map>
#include <string_view>

#include "sim/memory/allocation.h"

namespace sim::memory {

class GlobalMemory {
  public:
    explicit GlobalMemory(uint64_t capacity) : free_bytes_(capacity) {}
    ~GlobalMemory();
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;

    /// 512-byte aligned, filled with `poison`. nullptr when memory is exhausted or bytes == 0.
    Allocation* allocate(uint64_t bytes, AllocationKind kind, std::string label);
    /// Frees the allocation that starts at `address`; false if there is none. `by`: the call that does it, for reports.
    bool release(uint64_t address, std::string_view by = {});
    Allocation* map_host(uint64_t address, std::byte* data, uint64_t bytes, AllocationKind kind);
    void unmap_host(uint64_t address, bool freed = false); ///< else it remains host memory

    /// The allocation at or nearest below `address`, live or freed, or nullptr. The caller checks holds() and live.
    Allocation* find(uint64_t address) const {
        if (last_ && last_->holds(address, 1))
            return last_;
        return find_slow(address);
    }
    /// `bytes` bytes at `address`, if they are in one live allocation; else nullptr.
    std::byte* at(uint64_t address, uint64_t bytes) const {
        const Allocation* found = find(address);
        return found && found->live && found->holds(address, bytes) ? found->data + (address - found->address)
                                                                    : nullptr;
    }
    void forget_loads() {
        for (auto& [address, allocation] : allocations_)
            allocation.loaded_bytes = 0;
    }
    uint64_t free_bytes() const { return free_bytes_; }
    auto begin() const { return allocations_.begin(); }
    auto end() const { return allocations_.end(); }

  private:
    Allocation* find_slow(uint64_t address) const;

    std::map<uint64_t, Allocation> allocations_; ///< by first address
    mutable Allocation* last_ = nullptr;
    uint64_t next_ = device_base + 0x2000000;
    uint64_t free_bytes_;
};

} // namespace sim::memory
