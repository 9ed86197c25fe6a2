// Address spaces of the simulated device and the allocations of its global memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sim::memory {

/// Device addresses are in this range; the program's own process keeps it unmapped, so that the host cannot touch it.
inline constexpr uint64_t device_base = 0x1000'0000'0000;
inline constexpr uint64_t device_bytes = 1ull << 40;
/// Generic addresses of the shared window: window + tagged offset (see shared_tag).
inline constexpr uint64_t shared_window = 0x2000'0000'0000;
inline constexpr uint64_t shared_window_bytes = 1ull << 32;
/// Generic addresses of a thread's local memory.
inline constexpr uint64_t local_window = 0x2100'0000'0000;
inline constexpr uint64_t local_window_bytes = 1ull << 32;
/// A shared::cluster address is tag << 24 | offset. The lowest bit of the tag is that of the block's rank, so that
/// Blackwell programs reach the even block of a pair by clearing bit 24; the others are the number of the pair plus 1,
/// or 0 for the executing block's own pair. A block's own addresses have the tag Block::own_tag.
inline constexpr uint32_t shared_rank_shift = 24;
inline constexpr uint32_t shared_offset_mask = (1u << shared_rank_shift) - 1;
constexpr uint32_t shared_tag(uint32_t rank) {
    return (rank / 2 + 1) * 2 | (rank & 1);
}
/// The rank of the block that a tag names to a block of rank `own`.
constexpr uint32_t rank_of_tag(uint32_t tag, uint32_t own) {
    return (tag >> 1 ? tag / 2 - 1 : own / 2) * 2 | (tag & 1);
}

/// What undefined bytes look like: fresh allocations, shared memory at block start, destinations of copies in flight.
inline constexpr unsigned char poison = 0xDB;

/// The origin of an allocation; it decides which accesses are allowed and how reports name it.
enum class AllocationKind : uint8_t { device, module_variable, constant, parameters, host_pinned, managed };

/// Attached by the layer that watches accesses; owned by the allocation.
struct Attachment {
    virtual ~Attachment() = default;
};

/// Memory that is allocated and freed in stream order. The ids are those of host operations (events::OperationId), the
/// places those of calls of the program (events::CallSite).
struct Lifetime {
    static constexpr uint64_t pending = UINT64_MAX;
    uint64_t allocated_by = 0; ///< 0: it has always existed; pending: it has been asked for
    uint64_t freed_by = 0;     ///< 0: it has not been freed
    uint32_t allocated_at = 0, freed_at = 0;
};

struct Allocation {
    uint64_t address = 0;
    uint64_t bytes = 0;
    std::byte* data = nullptr; ///< nullptr once freed
    AllocationKind kind = AllocationKind::device;
    bool live = false;
    uint64_t loaded_bytes = 0; ///< by threads (ld, atom); of the host's memory by copies, too; since forget_loads()
    bool owned = true;         ///< data was mapped by us (false: host memory)
    std::string label;
    std::string freed_by;                    ///< "cudaFreeAsync"; empty: not freed, or not known
    uint32_t allocated_at = 0, freed_at = 0; ///< calls of the program (events::CallSite); 0: not known
    std::optional<Lifetime> lifetime;        ///< nullopt: all that runs may use it
    std::unique_ptr<Attachment> shadow;

    bool holds(uint64_t first, uint64_t count) const {
        return first >= address && first - address <= bytes && bytes - (first - address) >= count;
    }
};

} // namespace sim::memory
