#include <algorithm>

#include <fmt/format.h>

#include "sim/machine/exec.h"
#include "sim/machine/grid.h"
#include "sim/machine/names.h"

namespace sim::machine {
namespace {

bool refuse(Exec& x, const Op& op, uint32_t lanes, Stopped::Why why, Fault fault, std::string message,
            Stopped::Of of = Stopped::Of::other, const memory::Allocation* freed = nullptr) {
    if (x.listener) {
        Stopped stopped{why, message, of};
        if (freed)
            stopped.allocated_at = freed->allocated_at, stopped.freed_at = freed->freed_at;
        x.listener->misuse(&x.warp, lanes, &op, stopped);
    }
    x.fail(fault, std::move(message));
    return false;
}

constexpr uint32_t most_blocks = 16; // of a cluster

const char* verb(Direction direction) {
    return direction == Direction::load ? "reads" : "writes";
}

// An address of 64 bits is a generic one, and its low bits say nothing.
std::string shared_place(uint64_t address) {
    if (address >> 32)
        return fmt::format("the generic address {:#x} where a shared one is expected (__cvta_generic_to_shared)",
                           address);
    return fmt::format("shared address {}",
                       int64_t(uint32_t(address) & memory::shared_offset_mask) - int64_t{reserved_shared});
}

} // namespace

std::string no_such_block(const Exec& x, uint32_t rank) {
    const uint32_t size = x.grid.blocks_per_cluster;
    if (size == 1)
        return fmt::format("the block of rank {} in the cluster, but the kernel was launched without clusters: each "
                           "block is alone, with rank 0",
                           rank);
    if (rank >= size)
        return fmt::format("the block of rank {} in the cluster, but a cluster of this launch has {} blocks, with "
                           "ranks 0 to {}",
                           rank, size, size - 1);
    return fmt::format("the block of rank {} in the cluster, which has ended", rank);
}

namespace {

bool resolve_shared(Exec& x, const Op& op, uint32_t lanes, uint32_t bytes, Direction direction, Resolved& out) {
    out.shared |= lanes;
    Block* target = nullptr;
    bool one_target = true, good = true;
    for_lanes(lanes, [&](int lane) {
        const uint64_t address = out.address[lane];
        const uint32_t tag = uint32_t(address >> memory::shared_rank_shift);
        Block* block = x.block.named_by(tag);
        const uint32_t offset = uint32_t(address) & memory::shared_offset_mask;
        if (!block || offset < reserved_shared || uint64_t{offset} + bytes > block->shared.size()) {
            const uint32_t thread = x.warp.id * 32 + uint32_t(lane);
            const uint32_t rank = memory::rank_of_tag(tag, x.block.cluster_rank);
            const bool of_peer =
                rank < most_blocks && uint64_t{offset} + bytes <= x.block.shared.size(); // as from mapa
            if (good && !block && of_peer)
                refuse(x, op, 1u << lane, Stopped::Why::out_of_bounds, Fault::illegal_instruction,
                       fmt::format("thread {} {} {} bytes of shared memory in {}", thread, verb(direction), bytes,
                                   no_such_block(x, rank)),
                       Stopped::Of::no_such_block);
            else if (good)
                refuse(x, op, 1u << lane, Stopped::Why::out_of_bounds,
                       block ? Fault::illegal_address : Fault::illegal_instruction,
                       fmt::format("thread {} {} {} bytes at {}, but the block has {} bytes of shared memory", thread,
                                   verb(direction), bytes, shared_place(address),
                                   x.block.shared.size() - reserved_shared));
            good = false;
            return;
        }
        one_target = one_target && (!target || target == block);
        target = block;
        out.address[lane] = offset;
        out.pointer[lane] = block->shared.data() + offset;
    });
    out.target = one_target ? target : nullptr;
    return good;
}

/// "in[37]", or its address.
std::string place_of(const Grid& grid, const memory::Allocation& allocation, uint64_t address) {
    const std::string name = global_name(grid, allocation, address);
    return name.empty() ? fmt::format("{:#x}", address) : name;
}

bool is_host_memory(const Grid& grid, uint64_t address) {
    uint64_t distance = 0;
    return host_memory(address) && !nearest(grid, address, distance);
}

/// Describes an address outside all allocations by the nearest live allocation.
std::string outside(const Grid& grid, uint64_t address, uint32_t bytes) {
    uint64_t least = 0;
    const memory::Allocation* best = nearest(grid, address, least);
    if (const char* where = best ? nullptr : host_memory(address))
        return fmt::format("{:#x}, {}, where a kernel cannot reach it", address, where);
    if (!best)
        return fmt::format("{:#x}, which is not in any allocation", address);
    const std::string place = place_of(grid, *best, address);
    const std::string name = best->label.empty()
                                 ? fmt::format("the allocation of {} bytes", best->bytes)
                                 : fmt::format("{} ({} bytes)", variable_name(best->label), best->bytes);
    if (address < best->address)
        return fmt::format("{}, {} bytes before {}", place, least, name);
    const uint64_t end = best->address + best->bytes;
    if (address < end)
        return fmt::format("{}, extending {} bytes beyond the end of {}", place, address + bytes - end, name);
    return least ? fmt::format("{}, {} bytes beyond the end of {}", place, least, name)
                 : fmt::format("{}, just beyond the end of {}", place, name);
}

bool resolve_global(Exec& x, const Op& op, uint32_t lanes, uint32_t bytes, Direction direction, Resolved& out) {
    out.global |= lanes;
    memory::Allocation* last = nullptr;
    bool one = true;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint64_t address = out.address[lane];
        if (!last || !last->holds(address, bytes)) {
            memory::Allocation* found = x.grid.memory.find(address);
            const uint32_t thread = x.warp.id * 32 + uint32_t(lane);
            if (!found || !found->holds(address, bytes)) {
                const std::string near =
                    address < 4096 ? fmt::format("{:#x}, a null pointer", address) : outside(x.grid, address, bytes);
                return refuse(x, op, 1u << lane, Stopped::Why::out_of_bounds, Fault::illegal_address,
                              fmt::format("thread {} of block {} {} {} bytes at {}", thread, x.block.linear,
                                          verb(direction), bytes, near),
                              is_host_memory(x.grid, address) ? Stopped::Of::host_memory : Stopped::Of::other);
            }
            if (!found->live)
                return refuse(x, op, 1u << lane, Stopped::Why::freed_memory, Fault::illegal_address,
                              fmt::format("thread {} of block {} {} {} bytes at {}, in an allocation of {} bytes that "
                                          "has been freed",
                                          thread, x.block.linear, verb(direction), bytes,
                                          place_of(x.grid, *found, address), found->bytes),
                              Stopped::Of::other, found);
            if (direction != Direction::load &&
                (found->kind == memory::AllocationKind::constant || found->kind == memory::AllocationKind::parameters))
                return refuse(x, op, 1u << lane, Stopped::Why::read_only_memory, Fault::illegal_address,
                              fmt::format("thread {} writes to {} memory, which a kernel can only read", thread,
                                          found->kind == memory::AllocationKind::constant ? "constant" : "parameter"));
            one = one && !last;
            last = found;
        }
        out.pointer[lane] = last->data + (address - last->address);
    }
    out.allocation = one ? last : nullptr;
    return true;
}

bool resolve_local(Exec& x, const Op& op, uint32_t lanes, uint32_t bytes, Resolved& out) {
    out.local |= lanes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint64_t address = out.address[lane];
        if (address > x.warp.local_stride || x.warp.local_stride - address < bytes)
            return refuse(x, op, 1u << lane, Stopped::Why::out_of_bounds, Fault::illegal_address,
                          fmt::format("thread {} accesses memory outside its local memory ({} bytes at {})",
                                      x.warp.id * 32 + uint32_t(lane), bytes, address));
        out.pointer[lane] = x.warp.local.data() + uint32_t(lane) * size_t{x.warp.local_stride} + address;
    }
    return true;
}

} // namespace

void Exec::addresses(const AddressRef& ref, uint64_t out[32]) {
    const auto offset = uint64_t(ref.offset);
    if (!ref.base.exists()) {
        const uint64_t value = offset + (ref.space == ptx::Space::local ? fragment().frame->local_base : 0) +
                               (ref.space == ptx::Space::param ? grid.parameter_address : 0);
        for (int lane = 0; lane < 32; ++lane)
            out[lane] = value;
    } else if (ref.wide) {
        const uint64_t* base_lanes = lanes<uint64_t>(ref.base);
        for (int lane = 0; lane < 32; ++lane)
            out[lane] = base_lanes[lane] + offset;
    } else {
        const uint32_t* base_lanes = lanes<uint32_t>(ref.base);
        const uint64_t upper = ref.space == ptx::Space::param ? grid.parameter_address >> 32 << 32 : 0; // as in cvta
        for (int lane = 0; lane < 32; ++lane)
            out[lane] = uint32_t(base_lanes[lane] + uint32_t(offset)) | upper;
    }
}

namespace {

/// All lanes in one place, aligned and in bounds: the common case, in loops over 32 lanes that vectorise. Lanes that do
/// not execute have the address of one that does. False: undecided, so the careful path decides.
bool resolve_together(Exec& x, ptx::Space space, uint32_t bytes, uint32_t align, Direction direction, Resolved& out,
                      uint32_t first) {
    uint64_t low = out.address[0], high = out.address[31], beside = 0, together = low - first;
    for (uint64_t lane = 0; lane < 32; ++lane)
        beside |= out.address[lane] ^ (low + lane * bytes);
    out.in_order = !beside && low <= high;
    if (!out.in_order || bytes % align)
        for (int lane = 0; lane < 32; ++lane) {
            together |= out.address[lane] - first;
            low = std::min(low, out.address[lane]);
            high = std::max(high, out.address[lane]);
        }
    if (together & (align - 1))
        return false;
    std::byte* base;
    uint64_t window = 0;
    if (space == ptx::Space::generic && low >= memory::shared_window &&
        high < memory::shared_window + memory::shared_window_bytes) {
        window = memory::shared_window;
        space = ptx::Space::shared;
    }
    if (space == ptx::Space::shared) {
        const uint64_t size = x.block.shared.size();
        window += uint64_t{x.block.own_tag} << memory::shared_rank_shift;
        if (low - window < reserved_shared || high - window > size || size - (high - window) < bytes)
            return false;
        for (int lane = 0; lane < 32; ++lane)
            out.address[lane] -= window;
        out.shared = x.mask;
        out.target = &x.block;
        base = x.block.shared.data();
    } else if (space == ptx::Space::local) {
        if (high > x.warp.local_stride || x.warp.local_stride - high < bytes)
            return false;
        out.local = x.mask;
        for (int lane = 0; lane < 32; ++lane)
            out.pointer[lane] = x.warp.local.data() + size_t(lane) * x.warp.local_stride + out.address[lane];
        return true;
    } else {
        if (space == ptx::Space::generic && high >= memory::shared_window &&
            low < memory::local_window + memory::local_window_bytes) // a window may be involved
            return false;
        memory::Allocation* found = x.grid.memory.find(low);
        if (!found || !found->live || !found->holds(low, bytes) || !found->holds(high, bytes) ||
            (direction != Direction::load &&
             (found->kind == memory::AllocationKind::constant || found->kind == memory::AllocationKind::parameters)))
            return false;
        out.global = x.mask;
        out.allocation = found;
        base = found->data - found->address;
    }
    for (int lane = 0; lane < 32; ++lane)
        out.pointer[lane] = base + out.address[lane];
    return true;
}

} // namespace

bool locate(Exec& x, const Op& op, const AddressRef& ref, uint32_t bytes, uint32_t align, Direction direction,
            Resolved& out, uint32_t first) {
    x.addresses(ref, out.address);
    for (uint64_t& address : out.address)
        address += first;
    if (x.mask != all_lanes) {
        const uint64_t any = out.address[std::countr_zero(x.mask)];
        for (uint32_t lane = 0; lane < 32; ++lane)
            out.address[lane] = x.mask >> lane & 1 ? out.address[lane] : any;
    }
    if (resolve_together(x, ref.space, bytes, align, direction, out, first))
        return true;
    uint32_t shared = 0, local = 0, global = 0;
    switch (ref.space) {
    case ptx::Space::shared:
        shared = x.mask;
        break;
    case ptx::Space::local:
        local = x.mask;
        break;
    case ptx::Space::generic:
        for (uint32_t rest = x.mask; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const uint64_t address = out.address[lane];
            if (address - memory::shared_window < memory::shared_window_bytes) {
                shared |= 1u << lane;
                out.address[lane] -= memory::shared_window;
            } else if (address - memory::local_window < memory::local_window_bytes) {
                local |= 1u << lane;
                out.address[lane] -= memory::local_window;
            } else {
                global |= 1u << lane;
            }
        }
        break;
    default:
        global = x.mask;
    }
    uint64_t together = 0;
    for (uint32_t rest = x.mask; rest; rest &= rest - 1)
        together |= out.address[std::countr_zero(rest)] - first;
    if (together & (align - 1)) {
        uint32_t lane = 0;
        while (!(x.mask >> lane & 1) || !((out.address[lane] - first) & (align - 1)))
            ++lane;
        return refuse(x, op, 1u << lane, Stopped::Why::misaligned_access, Fault::misaligned_address,
                      fmt::format("thread {} {} {} bytes at address {:#x}, which is not a multiple of {}",
                                  x.warp.id * 32 + lane, verb(direction), bytes, out.address[lane] - first, align));
    }
    return (!shared || resolve_shared(x, op, shared, bytes, direction, out)) &&
           (!global || resolve_global(x, op, global, bytes, direction, out)) &&
           (!local || resolve_local(x, op, local, bytes, out));
}

namespace {

void count_loads(Exec& x, const Resolved& r, uint32_t bytes) {
    if (r.allocation)
        r.allocation->loaded_bytes += uint64_t{bytes} * uint32_t(std::popcount(r.global));
    else
        for_lanes(r.global, [&](int lane) {
            if (auto* allocation = x.grid.memory.find(r.address[lane]))
                allocation->loaded_bytes += bytes;
        });
}

} // namespace

void count_access(Exec& x, const Resolved& r, uint32_t bytes, Direction direction) {
    Statistics& statistics = x.grid.statistics;
    const uint64_t global = uint64_t{bytes} * uint32_t(std::popcount(r.global));
    const uint64_t shared = uint64_t{bytes} * uint32_t(std::popcount(r.shared));
    switch (direction) {
    case Direction::load:
        statistics.global_load_bytes += global;
        statistics.shared_load_bytes += shared;
        break;
    case Direction::store:
        statistics.global_store_bytes += global;
        statistics.shared_store_bytes += shared;
        return;
    case Direction::update:
        statistics.atomic_bytes += global + shared;
    }
    if (r.global)
        count_loads(x, r, bytes);
}

bool resolve(Exec& x, const Op& op, const AddressRef& ref, uint32_t bytes, uint32_t align, Direction direction,
             Resolved& out) {
    if (!locate(x, op, ref, bytes, align, direction, out))
        return false;
    count_access(x, out, bytes, direction);
    return true;
}

} // namespace sim::machine
