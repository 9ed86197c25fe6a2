// The bulk copies of a device, as long as something may still depend on them.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "sim/ordering/epoch.h"

namespace sim::hazards {

/// A bulk copy, or an asynchronous store.
struct BulkOp {
    uint64_t block = 0; ///< of the issuing thread
    uint32_t warp = 0, lane = 0, pc = 0;
    uint32_t tick = 0;      ///< of the warp, at the issue
    bool by_barrier = true; ///< completes on an mbarrier; else in the issuer's bulk groups
    uint32_t barrier = 0;   ///< events::Mbarrier::id
    uint64_t barrier_block = 0;
    bool elsewhere = false; ///< the barrier is in another block than the destination
    uint32_t issued_in = 0; ///< phase of the barrier at the issue
    bool announced = false; ///< that phase expected bytes already
    uint32_t phase = 0;     ///< phase of the barrier in which it landed
    bool landed = false;
    bool reduction = false;
    bool overruns = false;     ///< it may write to bytes that are still on their way, or still read
    bool matrix = false;       ///< no copy: a wgmma.mma_async of the warpgroup that begins with `warp`
    uint32_t tensor_group = 0; ///< .cta_group of a tcgen05 operation that a commit of its thread tracks; 0: no such one
    uint64_t source = 0, target = 0; ///< a bulk store's first byte in shared memory, and in global memory
    int swizzle = -1;                ///< events::BulkLoad::swizzle
    uint64_t bytes = 0;              ///< that arrived, and
    int64_t expected = 0;            ///< bytes that the phase still expected then
    uint32_t index = 0;              ///< bulk stores and tile loads of the warp in issue order (for groups)
    std::string remark{};            ///< a peculiarity of its tensor map

    /// Calls f() with all other fields.
    template <class Op, class F>
    static void with_fields(Op& op, F&& f) {
        auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, last] = op;
        f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
    }
};

class BulkOps {
  public:
    static Epoch epoch(uint64_t number) { return Epoch(EpochKind::async) << kind_shift | number; }
    static Epoch map_read(uint64_t number) { return epoch(number) | map_read_flag; }

    uint64_t first() const { return first_; }
    uint64_t next() const { return first_ + ops_.size(); }
    void add(BulkOp op) { ops_.push_back(std::move(op)); }
    /// nullptr: it is too old, and ordered before everything.
    BulkOp* find(uint64_t number) {
        return number - first_ < ops_.size() ? &ops_[number - first_] : nullptr; // wraps around for older ones
    }
    const BulkOp* find(uint64_t number) const { return const_cast<BulkOps*>(this)->find(number); }
    const BulkOp* find_epoch(Epoch e) const { return kind_of(e) == EpochKind::async ? find(number_of(e)) : nullptr; }
    /// Finished launches' copies are only looked at when streams overlap: a bounded number is kept.
    void forget_old() {
        while (ops_.size() > 1u << 16) {
            ops_.pop_front();
            ++first_;
        }
    }

  private:
    std::deque<BulkOp> ops_;
    uint64_t first_ = 1; ///< number of ops_.front()
};

} // namespace sim::hazards
