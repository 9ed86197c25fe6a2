// What the machine tells a listener (the hazard detector) about ordering and accesses. All calls are per warp
// instruction, with a lane mask. A machine without a listener makes none of them.
#pragma once

#include <array>
#include <cstdint>

#include "sim/machine/gpu.h"
#include "sim/machine/op.h"
#include "sim/memory/allocation.h"

namespace sim::machine {

struct Exec;
class Block;
class Grid;
class Warp;

enum class Scope : uint8_t { cta, cluster, gpu, sys };
enum class Semantics : uint8_t { weak, relaxed, acquire, release, acq_rel };

/// One memory access by lanes of a warp, addresses already resolved.
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
    Block* target = nullptr;                  ///< shared: the block that owns the memory
    const std::byte* stored = nullptr;        ///< store: the lanes' values, `bytes` each, to tell same-value stores
};

class Observer {
  public:
    virtual ~Observer() = default;

    virtual void launch_begin(Grid&, const Order&, OperationId) = 0;
    virtual void launch_end(Grid&) = 0;
    virtual void block_begin(Block&) = 0;
    virtual void block_end(Block&) = 0;

    /// Returns lanes whose loaded value must be followed (Pending); their report numbers go to `reports`.
    virtual uint32_t access(Exec&, const Op&, const Access&, std::array<uint32_t, 32>& reports) = 0;
    /// A pending load's value was used at `op`.
    virtual void used(Exec&, const Op&, uint32_t report) = 0;
    virtual void fence(Exec&, Semantics, Scope, uint32_t mask) = 0;

    /// bar.warp.sync and other convergence that orders: lanes `mask` of the warp are ordered mutually.
    virtual void warp_sync(Warp&, uint32_t mask) = 0;
    /// shfl, vote, match ...: does not order, but covers `mask` (a race bridged only by it is a note).
    virtual void warp_rendezvous(Warp&, uint32_t mask) = 0;
    /// Block barrier `id`: lanes arrive; when it completes, each waiting fragment is released.
    virtual void barrier_arrive(Warp&, uint32_t mask, uint32_t id) = 0;
    virtual void barrier_complete(Block&, uint32_t id) = 0;
    virtual void barrier_release(Warp&, uint32_t mask, uint32_t id) = 0;
    /// The same for cluster barriers.
    virtual void cluster_arrive(Warp&, uint32_t mask, bool release) = 0;
    virtual void cluster_complete(Block& any) = 0;
    virtual void cluster_release(Warp&, uint32_t mask, bool acquire) = 0;

    /// A fault, deadlock or misuse that stops the launch or is worth reporting by itself; `rule` is the rule's name.
    virtual void problem(Warp*, uint32_t mask, const Op*, const char* rule, const std::string& message) = 0;

    // Host operations.
    virtual void host_write(memory::Allocation&, uint64_t address, uint64_t bytes, const Order&, OperationId,
                            std::string_view what) = 0;
    virtual void host_read(memory::Allocation&, uint64_t address, uint64_t bytes, const Order&, OperationId,
                           std::string_view what) = 0;
};

} // namespace sim::machine
