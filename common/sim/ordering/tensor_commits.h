// tcgen05.commit of each thread: which operations it covers, and the phases of the mbarriers on which it has arrived.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "sim/ordering/bulk_ops.h"
#include "sim/ordering/clock.h"

namespace sim::hazards {

class TensorCommits {
  public:
    struct Arrival {
        uint64_t block;          ///< of the mbarrier, device-wide number
        uint32_t barrier, phase; ///< events::Mbarrier::id; the phase in which it has arrived
    };
    struct Commit {
        uint64_t number;
        uint32_t group;
        uint32_t upto; ///< covers the thread's operations of that group up to this index
        uint32_t pc;
        uint32_t barrier;              ///< the first that it arrives on
        uint32_t offset, ranks;        ///< that one's shared offset, and the blocks of the cluster where it arrives
        ClockRef released;             ///< what its thread knew then: the arrivals release it
        std::vector<Arrival> arrivals; ///< made so far
    };

    void add(uint64_t block, uint32_t warp, uint32_t lane, Commit commit) {
        const uint64_t thread = key(block, warp, lane);
        of_number_[commit.number] = {thread, of_thread_[thread].size()};
        of_thread_[thread].push_back(std::move(commit));
    }
    /// nullptr: there is no commit of that number.
    Commit* find(uint64_t number) {
        const auto found = of_number_.find(number);
        return found == of_number_.end() ? nullptr : &of_thread_[found->second.first][found->second.second];
    }
    /// Does f() accept an arrival of a commit that covers the operation?
    template <class F>
    bool any_after(const BulkOp& op, F&& f) const {
        const auto found = of_thread_.find(key(op.block, op.warp, op.lane));
        if (found == of_thread_.end())
            return false;
        const auto& all = found->second;
        auto commit = std::lower_bound(all.begin(), all.end(), op.index,
                                       [](const Commit& one, uint32_t index) { return one.upto < index; });
        for (; commit != all.end(); ++commit)
            if (commit->group == op.tensor_group && std::any_of(commit->arrivals.begin(), commit->arrivals.end(), f))
                return true;
        return false;
    }
    /// The first commit that covers the operation; nullptr: there is none so far.
    const Commit* first_after(const BulkOp& op) const {
        const auto found = of_thread_.find(key(op.block, op.warp, op.lane));
        if (found != of_thread_.end())
            for (const Commit& one : found->second)
                if (one.upto >= op.index && one.group == op.tensor_group)
                    return &one;
        return nullptr;
    }
    /// The last commit of another thread of the block than the operation's; nullptr: there is none.
    const Commit* by_another(const BulkOp& op) const {
        const Commit* last = nullptr;
        for (const auto& [thread, all] : of_thread_)
            if (block_of(thread) == op.block && thread != key(op.block, op.warp, op.lane) &&
                (!last || all.back().number > last->number))
                last = &all.back();
        return last;
    }
    /// One of another thread that has issued no operation, so that it tracks nothing, and of which f() accepts an
    /// arrival; nullptr: there is none.
    template <class F>
    const Commit* empty_by_another(const BulkOp& op, F&& f) const {
        for (const auto& [thread, all] : of_thread_)
            if (block_of(thread) == op.block && thread != key(op.block, op.warp, op.lane))
                for (const Commit& one : all)
                    if (!one.upto && std::any_of(one.arrivals.begin(), one.arrivals.end(), f))
                        return &one;
        return nullptr;
    }
    /// The first commit, with the number of its thread's block, that f() accepts; nullptr: none.
    template <class F>
    const Commit* find_if(F&& f) const {
        for (const auto& [thread, all] : of_thread_)
            for (const Commit& one : all)
                if (f(block_of(thread), one))
                    return &one;
        return nullptr;
    }
    void forget() {
        of_thread_.clear();
        of_number_.clear();
    }

  private:
    static uint64_t key(uint64_t block, uint32_t warp, uint32_t lane) {
        return make_epoch(EpochKind::plain, block, warp, lane, 0);
    }
    std::unordered_map<uint64_t, std::vector<Commit>> of_thread_;
    std::unordered_map<uint64_t, std::pair<uint64_t, size_t>> of_number_; ///< thread, and place in its list
};

} // namespace sim::hazards
