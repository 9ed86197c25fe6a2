// One memory access by lanes of a warp, and how strongly it synchronises.
#pragma once

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

/// Addresses are already resolved.
struct Access {
    enum class Kind : uint8_t { load, store, atomic };
    Kind kind = Kind::load;
    ptx::Space space = ptx::Space::global; ///< global or shared (local and parameters are not reported)
    Semantics semantics = Semantics::weak;
    Scope scope = Scope::sys; ///< of a strong access
    uint32_t mask = 0;
    uint32_t bytes = 0;                       ///< per lane
    const uint64_t* address = nullptr;        ///< [32]: global address, or offset in the block's shared memory
    memory::Allocation* allocation = nullptr; ///< global: when all lanes lie in one; else nullptr
    machine::Block* target = nullptr;         ///< shared: the block that owns the memory
    const std::byte* stored = nullptr;        ///< store: the lanes' values, `bytes` each, to tell same-value stores
};

} // namespace sim::events
