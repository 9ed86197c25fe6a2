// Launches and host operations: which blocks of device-wide number belong to which, and which of them are ordered
// before the one that runs. Several launches may have begun and not ended; one of them has its turn.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/events/operation.h"
#include "sim/ordering/epoch.h"

namespace sim::hazards {

struct Operation {
    events::OperationId id;
    uint64_t base, count;                         ///< device-wide numbers of its blocks; a host operation takes one
    std::string what;                             ///< "kernel stage", "cudaMemcpyAsync"
    std::shared_ptr<const events::Order> order{}; ///< nullptr: it is ordered after everything before it
    events::CallSite site = 0;                    ///< the program's call
    bool by_host = false;                         ///< an access of the program itself
    bool talks = false;                           ///< a kernel that may synchronise with the host while it runs
    bool signals = false;                         ///< one that may signal the host, or be signalled, while it runs

    bool has(uint64_t block) const { return block - base < count; }
    /// The last number of a launch represents all its dependencies: it is in the clocks of threads that are ordered
    /// after all of them, and of threads that have synchronised with such a thread.
    uint64_t dependencies() const { return base + count - 1; }
    /// Is an earlier operation ordered before every thread of this one? `waited`: before those that have executed
    /// griddepcontrol.wait?
    bool after(const Operation& earlier, bool waited) const;
    /// Is only a copy from pageable memory between them that has been staged? (events::Order::staged)
    bool staged_after(const Operation& earlier) const;
    /// Has a launch between them let this one start? (events::Order::passed_on)
    bool let_in_after(const Operation& earlier) const;
    std::vector<events::LostWait> lost_waits(const Operation& earlier) const;
};

class Operations {
  public:
    /// The next operation begins. It takes `blocks` numbers, from base(); a launch takes one for its dependencies, too.
    void begin(events::OperationId id, const events::Order& order, uint64_t blocks, std::string what);
    void current_talks() { current_.talks = known_.back().talks = true; }
    void current_signals() { current_.signals = known_.back().signals = true; }
    /// A launch goes on.
    void resume(const Operation& launch) { current_ = launch; }
    const Operation& current() const { return current_; } ///< the operation that runs
    /// Are there numbers left for that many blocks?
    bool room_for(uint64_t blocks) const { return next_ + blocks <= max_block; }
    bool nearly_full() const { return next_ > max_block / 2; }
    void forget_all();
    void forget_orders(); ///< everything that can still run is ordered after everything that has run

    uint64_t base() const { return current_.base; } ///< the first block of the operation that runs
    bool own(uint64_t block) const { return current_.has(block); }
    /// What blocks before this one did is ordered before the operation that runs. 0: it may not be.
    uint64_t over() const { return current_.order ? 0 : current_.base; }
    /// Is another operation, which had this block, ordered before the one that runs?
    bool ordered(uint64_t block) const;
    /// Is it ordered before those threads only that have executed griddepcontrol.wait, or know of one that has?
    bool until_wait(uint64_t block) const;
    bool any_until_wait() const { return current_.order && !current_.order->until_wait.empty(); }
    const Operation* of_block(uint64_t block) const;
    /// Has order been asked for with an operation that is too old to be remembered?
    bool lost_track() const { return lost_track_; }
    /// The first block of the first operation with an id of at least `since`; UINT64_MAX: there is none.
    uint64_t first_block_since(events::OperationId since) const;

  private:
    uint64_t next_ = 1;
    Operation current_{0, 0, 0, {}};
    std::vector<Operation> known_; ///< in order of id and of base
    mutable bool lost_track_ = false;
};

} // namespace sim::hazards
