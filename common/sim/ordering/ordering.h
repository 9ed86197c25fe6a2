// Which access is ordered after which: the questions of every check.
#pragma once

#include "sim/ordering/bulk_ops.h"
#include "sim/ordering/epoch.h"
#include "sim/ordering/operations.h"
#include "sim/ordering/tensor_commits.h"
#include "sim/ordering/warp_clock.h"

namespace sim::hazards {

/// Through which proxy the later access is made, and for the async proxy, in which state space.
enum class Proxy : uint8_t { generic, async_shared, async_global };

/// Knows of loads whose values may never be used, because the compiler has moved them in front of their condition.
class Speculation {
  public:
    virtual ~Speculation() = default;
    /// Has the value that this lane loaded there not been used so far?
    virtual bool may_be_dropped(Epoch reader, uint32_t pc) const = 0;
};

struct Ordering {
    Operations operations;
    BulkOps bulk;
    TensorCommits commits;
    const Speculation* speculation = nullptr;
    /// Has order been asked for with a bulk copy that is too old to be remembered?
    mutable bool lost_track_of_copies = false;

    /// Is what `e` names ordered before lane `lane` of `warp` now? `was_read`: `e` read the bytes (a bulk store has
    /// read its source before it has written its destination).
    bool ordered(const WarpClock& warp, uint32_t lane, Epoch e, Proxy proxy = Proxy::generic,
                 bool was_read = false) const;
    /// Is it known at once to be ordered before every lane of `warp`, for ordinary accesses? `e` has no lane.
    bool ordered_for_all(const WarpClock& warp, Epoch e) const;
    /// Is everything that the warp of `e`, an access of a lane, did until then known at once to be ordered before
    /// `lane`?
    static bool warp_ordered(const WarpClock& warp, uint32_t lane, Epoch e, Proxy proxy);
    /// Is the issue of this bulk copy ordered before the lane?
    static bool issue_ordered(const WarpClock& warp, uint32_t lane, const BulkOp& op);
    /// Block, warp and lane of an access, as fields of an epoch. 0: they are not known.
    uint64_t thread(Epoch e) const;
    /// Is it an access by a launch other than the one that runs?
    bool elsewhere(Epoch e) const;
    /// Of two accesses by one launch, neither of which runs: is `a` that of a thread with a lower number?
    bool comes_first(Epoch a, Epoch b) const;

  private:
    bool other_ordered(const WarpClock& warp, uint32_t lane, uint64_t block) const;
    bool ordered_through(const Clock& known, uint64_t block) const;
    bool tensor_ordered(const WarpClock& warp, uint32_t lane, const BulkOp& op) const;
    bool bulk_ordered(const WarpClock& warp, uint32_t lane, Epoch e, bool was_read) const;
    static bool group_ordered(const WarpClock& warp, uint32_t lane, const BulkOp& op, bool was_read);
    static bool own_ordered(const WarpClock& warp, uint32_t lane, Epoch e, Proxy proxy);
};

} // namespace sim::hazards
