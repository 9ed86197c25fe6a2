// One memory access by lanes of a warp, and how strongly it synchronises.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/memory/allocation.h"
#include "sim/ptx/module.h"

namespace sim::machine {
class Block;
}

namespace sim::events {

enum class Scope : uint8_t { cta, cluster, gpu, sys };
enum class Semantics : uint8_t { weak, relaxed, acquire, release, acq_rel };

/// What an atomic operation makes of a value of `bytes` bytes and its operand.
struct Reduction {
    uint32_t bytes;
    bool in_any_order; ///< several of them have the same result, bit for bit, in any order
    void (*apply)(std::byte* to, const std::byte* operand);
    /// In any order: turns the result of several, which began with `before`, into an operand that does the same.
    void (*since)(std::byte* result, const std::byte* before);
};

/// Addresses are already resolved.
struct Access {
    enum class Kind : uint8_t { load, store, atomic };
    Kind kind = Kind::load;
    ptx::Space space = ptx::Space::global; ///< global or shared (local and parameters are not reported)
    Semantics semantics = Semantics::weak;
    Scope scope = Scope::sys; ///< of a strong access
    uint32_t mask = 0;
    uint32_t bytes = 0;                       ///< per lane
    uint32_t element_bytes = 0;               ///< load of a vector: each element is judged by itself; 0: all as one
    const uint64_t* address = nullptr;        ///< [32]: global address, or offset in the block's shared memory
    memory::Allocation* allocation = nullptr; ///< global: the allocation of all lanes, if they share one
    machine::Block* target = nullptr;         ///< shared: the block that owns the memory
    bool in_order = false;                    ///< all lanes of the warp, each right behind the one before it
    const Reduction* reduction = nullptr; ///< of an atomic operation whose old value is not used; nullptr: another one
    /// store: the lanes' values, `bytes` each, to recognise same-value stores; reduction: the operands
    const std::byte* stored = nullptr;
};

/// Loads whose value must be followed: by element of the access, the lanes and the number of each one's report.
struct Reports {
    static constexpr size_t most_elements = 8;
    std::array<uint32_t, most_elements> lanes{};
    std::array<uint32_t, most_elements> partly{}; ///< of these lanes: it matters only if the missing bytes are used
    std::array<std::array<uint32_t, 32>, most_elements> number;
    std::array<std::array<uint16_t, 32>, most_elements> missing; ///< of the lanes in `partly`: bytes of the element
    void add(size_t element, uint32_t lane, uint32_t report) {
        lanes[element] |= 1u << lane;
        number[element][lane] = report;
    }
};

} // namespace sim::events
