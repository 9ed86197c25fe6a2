// What becomes of the bytes that asynchronous copies bring to shared memory: are they read where they landed, before
// something else is written there, and how many copies whose bytes are read were in flight at once? A read or a write
// at the wrong time is a hazard, so the order of events is all that counts here.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/events/listener.h"
#include "sim/provenance/flow.h"

namespace sim::provenance {

class Tracker final : public events::Listener {
  public:
    /// Forgets what there was, and follows copies from these ranges.
    void follow(std::vector<Range> sources);
    void forget();
    Flow flow() const;

    void block_begin(events::Block&) override;
    void block_end(events::Block&) override;
    void access(events::Exec&, const events::Access&, events::Reports&) override;
    void copy_issue(events::Exec&, const events::CopyIssue&) override;
    void copy_commit(events::Warp&, uint32_t mask, uint32_t issued) override;
    void copy_wait(events::Exec&, uint32_t mask, const events::Lanes& done, uint32_t n, uint32_t issued) override;
    void mbarrier_tracks(events::Warp&, uint32_t mask, const events::Mbarrier&, uint32_t upto) override;
    void mbarrier_acquire(events::Warp&, uint32_t mask, events::Mbarrier&, bool acquire) override;
    void bulk_load(events::Exec&, const events::BulkLoad&) override;
    void bulk_store(events::Exec&, const events::BulkStore&) override;
    void matrix_issue(events::Exec&, const events::MatrixIssue&) override;

  private:
    struct Copy {
        uint32_t bytes = 0, used = 0;
    };
    /// The cp.async of one warp, by their numbers in it. Numbers of copies: 0 is none that is followed.
    struct WarpCopies {
        std::vector<uint32_t> copies;
        std::vector<uint32_t> committed;                      ///< for each group: how many copies there were
        std::vector<std::pair<uint32_t, uint32_t>> in_flight; ///< at its reads: the groups [first, second)
        uint32_t complete = 0;                                ///< copies that the warp has waited for
        uint32_t tracked = 0;                                 ///< copies that an mbarrier tracks
    };
    /// A phase of an mbarrier with copies.
    struct Stage {
        uint32_t barrier = 0, phase = 0;
        bool open = true;
        std::vector<uint32_t> copies;
    };
    struct BlockFlow {
        std::vector<uint32_t> words; ///< for each of shared memory: the copy that brought it, if it has not been read
        std::vector<WarpCopies> warps;
        std::vector<Stage> stages;
        std::vector<uint32_t> events; ///< 2 * stage, when it opens; + 1: when it closes
    };

    /// The warp reads what copies have brought: which of its own are in flight meanwhile?
    static void note_groups(WarpCopies&);
    bool is_followed(uint64_t address) const;
    uint32_t new_copy();
    BlockFlow& of(const events::Block&);
    void land(BlockFlow&, uint32_t copy, uint64_t offset, uint32_t bytes);
    bool read(BlockFlow&, uint64_t offset, uint32_t bytes);
    static void overwrite(BlockFlow&, uint64_t offset, uint32_t bytes);
    static Stage& stage(BlockFlow&, const events::Mbarrier&);
    uint64_t used(std::span<const uint32_t> copies) const;
    uint32_t groups(const WarpCopies&) const;
    uint32_t stages(const BlockFlow&) const;

    std::vector<Range> sources_;
    std::vector<Copy> copies_;
    std::map<const events::Block*, BlockFlow> running_;
    std::vector<BlockFlow> ended_;
    const events::Block* last_block_ = nullptr; ///< of which `last_` is what running_ holds
    BlockFlow* last_ = nullptr;
};

} // namespace sim::provenance
