// tcgen05.mma, .cp and .shift of one block: which are in flight, and which commits wait for them (PTX ISA, "tcgen05
// Memory Consistency Model"). An operation reads its operands and writes its results in one moment between its issue
// and the arrival of the commit that tracks it; the adversary decides when.
//
// The operations of a block complete in the order of issue. The manual leaves some of them unordered; whoever relies on
// an order that it does not promise is the hazard detector's business.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "sim/async/bulk_copy.h"
#include "sim/events/tensor.h"

namespace sim::async {

struct TensorOperation {
    uint64_t number = 0; ///< events::TensorIssue::number
    Issuer issuer;
    uint32_t group = 1;                ///< cta_group
    uint32_t index = 0;                ///< of the thread's operations in issue order, from 1; issue() sets it
    std::function<void()> carry_out{}; ///< reads the operands, writes the results; all checks have been made
};

/// An mbarrier that a commit arrives on: in which block, and its shared offset.
struct TensorArrival {
    machine::Block* block = nullptr;
    uint32_t offset = 0;
    uint64_t logged = 0; ///< its number in the log of barrier operations; commit() sets it
};

/// tcgen05.commit: one arrival on each of these mbarriers once the thread's operations up to `upto` are complete.
struct TensorCommit {
    uint64_t number = 0; ///< events::TensorCommit::number
    Issuer issuer;
    uint32_t group = 1;
    uint32_t upto = 0; ///< TensorOperation::index; commit() sets it
    std::vector<TensorArrival> arrivals;
};

class TensorOperations {
  public:
    explicit TensorOperations(machine::Block& block);

    /// The number of operations that the thread has issued so far.
    uint32_t issued(uint32_t warp, uint32_t lane) const;
    /// Begins the operation. Report it to the listener (tensor_issue) before.
    void issue(TensorOperation);
    /// Begins the commit. Report it to the listener (tensor_commit) before.
    void commit(TensorCommit);

    /// Completes what the oldest commit waits for, or else the oldest operation; false: there is none.
    bool progress();
    void tick();
    bool land(uint64_t logged);
    bool outstanding() const { return !operations_.empty() || !commits_.empty(); }
    void block_end();

  private:
    void complete_front();
    /// Completes what the commit waits for, in issue order.
    void complete_for(const TensorCommit&);
    bool complete(const TensorCommit&) const;
    /// Makes the arrivals of the commits that are due. `due`: lands, even if it is held back otherwise.
    void fire(uint64_t due = 0);
    void arrive(const TensorCommit&, const TensorArrival&);
    bool held(uint64_t logged) const;

    machine::Block& block_;
    std::deque<TensorOperation> operations_;
    std::deque<TensorCommit> commits_;
    std::map<uint32_t, uint32_t> issued_; ///< by thread
    machine::Schedule::Completion when_;
};

} // namespace sim::async
