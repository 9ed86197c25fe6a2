// Asynchronous work of one block: cp.async groups, mbarriers and bulk copies. Work completes as late as the rules allow
// ("lazy"), at once ("eager"), or at seeded random moments.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/async/bulk_copy.h"
#include "sim/async/mbarrier.h"
#include "sim/async/register_pool.h"
#include "sim/async/tensor_allocations.h"
#include "sim/async/tensor_operations.h"
#include "sim/async/warpgroup.h"
#include "sim/machine/exec.h"

namespace sim::async {

using machine::Block;
using machine::Exec;
using machine::Fragment;
using machine::Op;
using machine::Warp;

/// One cp.async as a warp executed it: up to 32 copies of 4, 8 or 16 bytes.
struct CopyOp {
    uint32_t index = 0; ///< the warp's copies in issue order, from 1
    uint32_t mask = 0;  ///< lanes whose copy is still in flight
    uint32_t bytes = 0;
    uint32_t warp = 0, pc = 0; ///< of the issuer
    uint64_t issued_at = 0;    ///< warp instructions executed before it
    uint64_t destination[32];
    uint64_t source[32];       ///< global addresses, looked up when the copy lands
    uint32_t source_bytes[32]; ///< 0: nothing is read, the destination becomes zero
};

/// The cp.async of one warp. Groups are per thread; here they are one list of commits with lane masks.
struct WarpCopies {
    uint32_t issued = 0;
    std::deque<CopyOp> in_flight;
    struct Commit {
        uint32_t upto; ///< copies issued by then
        uint32_t mask;
    };
    std::deque<Commit> commits;
    /// For the statistics, which must not depend on when copies happen to land: issued, and not waited for by `mask`.
    /// Copies that read nothing are none.
    struct Unwaited {
        uint32_t index;
        uint32_t mask;
        uint64_t issued_at;
    };
    std::deque<Unwaited> unwaited;
    uint64_t busy_since = 0; ///< warp instructions executed when `unwaited` was last empty
};

/// An arrive that cp.async.mbarrier.arrive has promised for when the copies up to `upto` are complete.
struct DeferredArrive {
    Warp* warp;
    uint32_t mask;
    uint32_t upto;
    uint32_t barrier; ///< shared offset
    uint64_t logged;  ///< its number in the log of barrier operations
};

class Engine final : public machine::BlockAsync {
  public:
    explicit Engine(Block& block);

    static Engine& of(Block& block) { return static_cast<Engine&>(*block.async); }

    // machine::BlockAsync
    bool progress() override;
    void tick() override;
    bool land(uint64_t logged) override;
    bool outstanding() const override;
    bool wait_over(const Fragment&) override;
    std::string describe(const machine::Warp&, const machine::Fragment&) override;
    void block_end() override;
    void lanes_exit(Warp&, uint32_t mask) override;

    // cp.async
    void issue(Exec&, CopyOp copy);
    void commit(Exec&);
    /// Waits for all but the `n` most recent groups of each executing thread.
    void wait(Exec&, uint32_t n);
    void deferred_arrive(Exec&, const Op&, uint32_t mask, uint32_t barrier, bool noinc);

    Mbarriers& barriers() { return barriers_; }
    BulkCopies& bulk() { return bulk_; }
    Warpgroups& warpgroups() { return warpgroups_; }
    TensorOperations& tensor() { return tensor_; }
    TensorAllocations& allocations() { return allocations_; }
    /// That of the SM on which the block runs.
    TensorMemory& tensor_memory() { return allocations_.memory(); }
    RegisterPool& registers() { return registers_; }
    /// For each thread, at most.
    uint32_t registers_at_launch() const;
    events::Listener* listener() const { return block_.grid.listener; } ///< nullptr: there is none
    /// For machine::Parts.
    static std::unique_ptr<machine::BlockAsync> make(Block& block) { return std::make_unique<Engine>(block); }

  private:
    WarpCopies& copies(Warp& warp) { return copies_[warp.id]; }
    void land(CopyOp& copy, uint32_t lanes);
    /// Completes the warp's copies up to upto[lane] for the lanes of `mask`.
    void complete(Warp& warp, uint32_t mask, const Lanes& upto);
    /// `due`: lands, even if it is held back otherwise.
    void fire_deferred(uint64_t due = 0);
    /// Must it wait for its turn in a replayed order?
    bool held(uint64_t logged) const { return block_.grid.conductor && block_.grid.conductor->holds(logged); }
    /// Committed groups with copies that the lane has not waited for: the overlap that the program has.
    static uint32_t groups_in_flight(const WarpCopies&, uint32_t lane);

    Block& block_;
    Mbarriers barriers_;
    std::vector<WarpCopies> copies_;
    std::deque<DeferredArrive> deferred_;
    BulkCopies bulk_;
    Warpgroups warpgroups_;
    TensorOperations tensor_;
    TensorAllocations allocations_;
    std::optional<RegisterPool::Shortage> register_shortage() const;
    RegisterPool registers_;
    machine::Schedule::Completion when_;
};

} // namespace sim::async
