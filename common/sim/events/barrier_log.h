// What threads do at barriers, one operation after the other, for whoever looks for orders in which it goes wrong. A
// launch without a log makes no calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sim::machine {
class Block;
class Warp;
} // namespace sim::machine

namespace sim::events {

struct BarrierOperation {
    enum class Kind : uint8_t {
        init,           ///< of an mbarrier. amount: arrivals of a phase
        inval,          ///< of an mbarrier
        arrive,         ///< on an mbarrier. amount: of each lane; bytes: expected just before
        expect,         ///< bytes: expected; negative: a thread's complete_tx
        wait,           ///< for a phase that is complete
        poll,           ///< for a phase that is not
        issue,          ///< something that will land on an mbarrier later
        land,           ///< that. amount: arrivals; bytes
        block_barrier,  ///< named barrier `object`. amount: threads it is for; threads: counted now
        cluster_arrive, ///< barrier.cluster
        cluster_wait,   ///< its end
        meet,           ///< the lanes of a .sync instruction
        exit,           ///< lanes end. threads: how many
        strong,         ///< an atomic, relaxed, acquiring or releasing access
        registers,      ///< setmaxnreg. amount: for each thread; threads: what each had at the launch, at most
    };
    Kind kind;
    bool waits = false;      ///< block_barrier: bar.sync; registers: .inc
    bool counted = false;    ///< block_barrier: with an explicit count
    bool drops = false;      ///< arrive: arrive_drop
    bool counted_in = false; ///< issue: of an arrival that raises the pending count first
    bool by_token = false;   ///< wait, poll: not by parity
    bool reads = false;      ///< strong: the threads see what others have done
    bool parity = false;     ///< wait, poll: of the phase asked for
    uint32_t pc = 0;
    uint32_t object = 0; ///< events::Mbarrier::id, or the number of a named barrier
    uint32_t amount = 0, threads = 0;
    int64_t bytes = 0;
    uint32_t phase = 0; ///< of the barrier: phases complete before the operation
};

class BarrierLog {
  public:
    virtual ~BarrierLog() = default;
    /// Returns a number that names the operation, not 0.
    virtual uint64_t add(machine::Warp& warp, uint32_t mask, const BarrierOperation& operation) = 0;
    /// What the operation `issued` has begun lands.
    virtual void landed(machine::Block& issuer, uint64_t issued, const BarrierOperation& operation) = 0;
    /// The mbarrier of this number, as the source has it.
    virtual void named(machine::Block& block, uint32_t object, uint32_t offset) = 0;
    /// Strong accesses by lanes at these addresses of host memory.
    virtual void strong(machine::Warp& warp, uint32_t mask, std::span<std::byte* const, 32> at, bool reads, bool writes,
                        bool global, uint32_t pc) = 0;
    /// The four warps of a warpgroup, the first of which is this one, execute a wgmma.mma_async together.
    virtual void warpgroup(machine::Warp& first, uint32_t pc) = 0;
    /// `normal`: it has come to its end.
    virtual void ended(machine::Block& block, bool normal) = 0;
};

} // namespace sim::events
