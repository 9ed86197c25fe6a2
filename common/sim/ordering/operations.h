// Launches and host operations: which blocks of device-wide number belong to which, and which of them are ordered
// before the one that runs.
#pragma once

#include <string>
#include <vector>

#include "sim/events/operation.h"
#include "sim/ordering/epoch.h"

namespace sim::hazards {

struct Operation {
    events::OperationId id;
    uint64_t base, count; ///< device-wide numbers of its blocks; a host operation takes one
    std::string what;     ///< "kernel stage", "cudaMemcpyAsync"
};

class Operations {
  public:
    /// The next operation begins. It takes `blocks` numbers, from base().
    void begin(events::OperationId id, const events::Order& order, uint64_t blocks, std::string what);
    /// A host operation that leaves no trace begins.
    void begin_unrecorded(const events::Order& order);
    /// Are there numbers left for that many blocks?
    bool room_for(uint64_t blocks) const { return next_ + blocks <= max_block; }
    void forget_all();

    uint64_t base() const { return base_; } ///< the first block of the operation that runs; smaller ones are older
    /// Is the (older) operation that had this block ordered before the one that runs?
    bool ordered(uint64_t block) const;
    /// Is it ordered before those threads only that have executed griddepcontrol.wait, or know of one that has?
    bool until_wait(uint64_t block) const;
    bool any_until_wait() const { return !order_.until_wait.empty(); }
    bool all_ordered() const { return order_.unordered.empty() && order_.until_wait.empty(); }
    const Operation* of_block(uint64_t block) const;
    /// Has order been asked for with an operation that is too old to be remembered?
    bool lost_track() const { return lost_track_; }
    /// The first block of the first operation with an id of at least `since`; UINT64_MAX: there is none.
    uint64_t first_block_since(events::OperationId since) const;

  private:
    uint64_t next_ = 1, base_ = 0;
    events::Order order_;
    std::vector<Operation> known_; ///< in order of id and of base
    mutable bool lost_track_ = false;
};

} // namespace sim::hazards
