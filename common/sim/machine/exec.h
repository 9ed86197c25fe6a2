// What an instruction's handler works with: the executing lanes and their operands.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "sim/events/listener.h"
#include "sim/machine/block.h"
#include "sim/machine/grid.h"
#include "sim/machine/op.h"
#include "sim/machine/warp.h"

namespace sim::machine {

using events::Access;
using events::Scope;
using events::Semantics;
using events::Stopped;

inline constexpr uint32_t all_lanes = 0xffffffffu;

struct Exec {
    std::byte* base[4]; ///< by OperandRef::Base
    uint32_t mask;      ///< lanes that execute: active and guarded
    size_t fragment_index;
    Warp& warp;
    Block& block;
    Grid& grid;
    events::Listener* listener; ///< nullptr: there is none
    const DecodedFunction* function;
    uint64_t executed = 0; ///< warp instructions since warp.instructions was updated
    std::string failure{};
    Fault fault = Fault::none;

    Fragment& fragment() { return warp.fragments[fragment_index]; }
    template <class T>
    T* lanes(OperandRef ref) {
        return reinterpret_cast<T*>(base[ref.value >> 30] + (ref.value & 0x3fffffff));
    }
    uint32_t& predicate(OperandRef ref) { return *lanes<uint32_t>(ref); }
    uint32_t predicate(OperandRef ref, uint32_t flip) { return *lanes<uint32_t>(ref) ^ flip; }
    /// Writes predicate lanes of `mask` only.
    void set_predicate(OperandRef ref, uint32_t value) {
        if (ref.exists()) {
            uint32_t& p = predicate(ref);
            p = (p & ~mask) | (value & mask);
        }
    }
    const Op& op() { return function->ops[fragment().pc]; }
    uint32_t pc() { return function->first_pc + fragment().pc; }

    /// Stops the launch. Return the result from the handler.
    Flow fail(Fault what, std::string message) {
        fault = what;
        failure = std::move(message);
        return Flow::fault;
    }

    /// Lane addresses of an address operand: generic addresses stay unchanged.
    void addresses(const AddressRef& ref, uint64_t out[32]);
};

/// Calls f(lane) for each lane of `mask`, in order.
template <class F>
inline void for_lanes(uint32_t mask, F&& f) {
    for (; mask; mask &= mask - 1)
        f(std::countr_zero(mask));
}

/// d[i] = f(s[i]...) for the lanes of `mask`; the loop over a full warp is one that compilers vectorise.
template <class D, class F, class... S>
inline void map_lanes(uint32_t mask, D* d, F&& f, const S*... s) {
    if (mask == all_lanes) {
#pragma GCC ivdep
        for (int i = 0; i < 32; ++i)
            d[i] = f(s[i]...);
    } else {
        for_lanes(mask, [&](int i) { d[i] = f(s[i]...); });
    }
}

/// Lane mask of f(s[i]...) over all 32 lanes.
template <class F, class... S>
inline uint32_t mask_lanes(F&& f, const S*... s) {
    alignas(32) uint8_t hit[32];
    for (int i = 0; i < 32; ++i)
        hit[i] = f(s[i]...) ? 1 : 0;
    uint32_t mask = 0;
    for (int group = 0; group < 4; ++group) {
        uint64_t eight;
        std::memcpy(&eight, hit + 8 * group, 8);
        mask |= uint32_t((eight * 0x0102040810204080ull) >> 56) << (8 * group);
    }
    return mask;
}

// --- memory (memory_access.cpp) -------------------------------------------------------------------------------------

/// The memory of the lanes of one access, after checking: host pointers to the bytes.
struct Resolved {
    std::byte* pointer[32];
    uint64_t address[32];                       ///< global address, or offset in the target block's shared memory
    uint32_t global = 0, shared = 0, local = 0; ///< lanes by space
    memory::Allocation* allocation = nullptr;   ///< the allocation of all global lanes, if they share one
    Block* target = nullptr;                    ///< the block of all shared lanes, if they share one
    bool in_order = false;                      ///< all lanes of the warp, each right behind the one before it
};

enum class Direction : uint8_t { load, store, update };

/// "the block of rank 1 in the cluster, but …": why the executing block's cluster has none of this rank.
std::string no_such_block(const Exec& x, uint32_t rank);

/// Finds `bytes` bytes per lane at the op's address for x.mask, checking alignment (to `align`, a power of two), bounds
/// and life. `first`: the bytes begin so far behind the address. False: the failure has been reported in x (return
/// Flow::fault).
bool locate(Exec& x, const Op& op, const AddressRef& ref, uint32_t bytes, uint32_t align, Direction, Resolved& out,
            uint32_t first = 0);
/// Adds an access of the threads to the launch's statistics, and what it loads to the allocation's.
void count_access(Exec& x, const Resolved&, uint32_t bytes, Direction);
/// Both: what an instruction calls whose threads themselves load or store. The others only locate: units that copy,
/// which have counters of their own, barriers, and tensor maps.
bool resolve(Exec& x, const Op& op, const AddressRef& ref, uint32_t bytes, uint32_t align, Direction, Resolved& out);

/// Reports an access that `resolve` has found to the listener, once per space and target. For loads, marks the
/// destination registers as pending where the listener wants that.
void observe(Exec& x, const Op& op, const Resolved&, Access::Kind, Semantics, Scope, uint32_t bytes,
             const std::byte* stored = nullptr, const events::Reduction* reduction = nullptr);
/// The same for a load of a vector, each element of which is judged by itself. `elements`: their registers.
void observe_vector(Exec& x, const Resolved&, Semantics, Scope, uint32_t bytes, std::span<const OperandRef> elements);

// --- replayed orders (collective.cpp) -------------------------------------------------------------------------------

/// It is not this barrier instruction's turn in the order that is replayed: return Flow::block.
bool held_back(Exec& x);

// --- collectives (collective.cpp) -----------------------------------------------------------------------------------

/// Begins a .sync instruction with member mask `member` (of the first executing lane). True: all members that have not
/// exited are here (x.mask holds them) and the instruction executes. False: return Flow::block.
bool gather(Exec& x, const Op& op, uint32_t member);

} // namespace sim::machine
