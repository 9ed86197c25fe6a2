// Records what one block does.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "sim/events/listener.h"
#include "sim/machine/exec.h"
#include "sim/timeline/chains.h"
#include "sim/timeline/recording.h"
#include "sim/timeline/reuse.h"

namespace sim::timeline {

struct RecorderOptions {
    uint64_t block = 0; ///< number in its grid
    size_t most_events = 50'000;
};

/// For machine::Options::listener. Keeps the first launch in which that block makes asynchronous copies; if there is
/// none, the first. `into` must outlive the device.
std::function<std::unique_ptr<events::Listener>()> recorder(Recording& into, RecorderOptions options = {});

class Recorder final : public events::Listener {
  public:
    using Block = machine::Block;
    using Warp = machine::Warp;
    using Exec = machine::Exec;
    using Lanes = events::Lanes;
    using Mbarrier = events::Mbarrier;

    Recorder(Recording& into, RecorderOptions options) : options_(options), result_(into) {}

    void instruction(Exec&, const machine::Op&) override;
    void launch_begin(machine::Grid&, const events::Order&, events::OperationId) override;
    void launch_end(machine::Grid&) override;
    void block_begin(Block&) override;
    void block_end(Block&) override;
    void access(Exec&, const events::Access&, events::Reports& reports) override;
    void at_barrier(Exec&) override;
    void barrier_arrive(Warp&, uint32_t mask, uint32_t id) override;
    void barrier_complete(Block&, uint32_t id) override;
    void barrier_release(Warp&, uint32_t mask, uint32_t id) override;
    void cluster_arrive(Warp&, uint32_t mask, bool release) override;
    void cluster_complete(Block& any) override;
    void cluster_release(Warp&, uint32_t mask, bool acquire) override;

    void copy_issue(Exec&, const events::CopyIssue&) override;
    void copy_commit(Warp&, uint32_t mask, uint32_t issued) override;
    void copy_wait(Exec&, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued) override;
    void mbarrier_init(Exec&, int lane, Mbarrier&) override;
    void mbarrier_use(Exec&, uint32_t mask, const Mbarrier&) override;
    void mbarrier_arrive(Warp&, uint32_t mask, Mbarrier&, bool release) override;
    void mbarrier_tracks(Warp&, uint32_t mask, const Mbarrier&, uint32_t upto) override;
    void mbarrier_copies(Warp&, uint32_t mask, Mbarrier&, uint32_t upto) override;
    void mbarrier_acquire(Warp&, uint32_t mask, Mbarrier&, bool acquire) override;
    void bulk_load(Exec&, const events::BulkLoad&) override;
    void bulk_store(Exec&, const events::BulkStore&) override;
    void bulk_wait(Exec&, uint32_t mask, const Lanes& upto, bool read_only) override;
    void bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected) override;
    void matrix_issue(Exec&, const events::MatrixIssue&) override;
    void matrix_wait(Exec&, const events::MatrixWait&) override;
    void tensor_issue(Exec&, const events::TensorIssue&) override;
    void tensor_access(Exec&, const events::TensorAccess&) override;
    void tensor_wait(Exec&, bool stores) override;
    void tensor_commit(Exec&, const events::TensorCommit&) override;
    void tensor_arrive(uint64_t commit, Mbarrier&) override;

  private:
    struct Issued {
        uint32_t index, event; ///< the warp's copies (or bulk stores) in issue order, from 1
    };
    struct Counts { ///< what a warp has executed
        uint64_t issue = 0, branches = 0, steps = 0, wavefronts = 0;
        /// 0 where `other` is later.
        Counts operator-(const Counts& other) const {
            return {issue - std::min(issue, other.issue), branches - std::min(branches, other.branches),
                    steps - std::min(steps, other.steps), wavefronts - std::min(wavefronts, other.wavefronts)};
        }
    };
    /// A tcgen05 operation that no commit of its thread has tracked yet.
    struct Operation {
        uint32_t event = none, lane = 0, group = 1, index = 0;
    };
    struct WarpLog {
        Counts now{}; ///< as far as known
        Chains chains{};
        Counts counted{};                 ///< of those, before the last event
        std::optional<Counts> polls_at{}; ///< `now` when it began to poll an mbarrier that is not ready
        uint32_t polls_on = 0;            ///< that mbarrier, by events::Mbarrier::id
        uint32_t group = none;            ///< Recording::copies: the open cp.async group
        uint32_t groups = 0;
        uint32_t last = none;                       ///< its last event
        std::deque<Issued> copies, stores, tracked; ///< not waited for; for mbarriers to track; arrivals that track
        std::vector<Operation> operations;          ///< of tcgen05
        std::deque<Issued> products;                ///< of its warpgroup, that it has not waited for
        bool loads = false;                         ///< loads whose values nothing needed yet
        uint32_t barrier_place = none;
    };
    struct BulkLoad {
        uint32_t event, barrier; ///< events::Mbarrier::id
    };

    /// Is it the block that is recorded? Then the warp's instructions are counted up to now.
    bool ours(Exec& x);
    Counts counts(const Warp& warp) {
        const Chains& chains = log(warp).chains;
        return {chains.issue(), warp.branches, chains.steps(), chains.wavefronts()};
    }
    bool ours(const Warp& warp) const { return block_ && &warp.block == block_ && !current_.cut; }
    WarpLog& log(const Warp& warp) { return warps_[warp.id]; }
    uint32_t place(const Warp& warp);
    uint32_t add(Event::Kind kind, const Warp& warp, uint32_t mask, uint32_t bytes = 0, uint32_t what = none);
    /// Returns the event, which may be one that was there before.
    uint32_t add_access(Event::Kind kind, const Warp& warp, uint32_t mask, uint32_t bytes);
    bool in_launch(const Warp& warp) const { return &warp.block.grid == grid_ && !done_; }
    /// Joins of barriers: `kind` 'b' block barrier, 'c' cluster barrier, 'm' mbarrier; made on demand.
    uint32_t join(char kind, uint32_t id, uint32_t phase);
    /// The launch was stopped: what its warps are waiting for.
    void stop(Block& block);
    std::string awaited(const Block& block, const machine::Fragment& fragment) const;
    uint32_t bulk(Exec& x, int lane, std::span<const events::BulkBytes> bytes, Event::Kind kind);

    RecorderOptions options_;
    Recording& result_;
    Recording current_;
    bool done_ = false, any_ = false;
    const machine::Grid* grid_ = nullptr; ///< the launch that is recorded, while it runs
    Block* block_ = nullptr;
    std::unordered_set<uint64_t> cached_; ///< sectors that the block has loaded
    Reuse reuse_;                         ///< of the launch
    std::vector<WarpLog> warps_;
    std::map<std::tuple<char, uint32_t, uint32_t>, uint32_t> joins_;
    std::unordered_map<uint32_t, std::string> mbarriers_;         ///< names by events::Mbarrier::id
    std::unordered_map<uint64_t, BulkLoad> loads_;                ///< by events::BulkLoad::number
    std::unordered_map<uint64_t, std::vector<uint32_t>> commits_; ///< by events::TensorCommit::number: events
    std::map<std::string, uint32_t> numbers_;                     ///< copies so far, by name
    std::map<uint32_t, uint32_t> places_;                         ///< by device-wide pc
    std::array<uint32_t, 17> generations_{};                      ///< of block barriers; [16]: of the cluster's
};

} // namespace sim::timeline
