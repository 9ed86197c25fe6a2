// What becomes of the bytes that asynchronous copies bring to shared memory: are they read where they landed, before
// something else is written there, does a result depend on them, and how many copies whose bytes are used were in
// flight at once? A read or a write at the wrong time is a hazard, so the order of events is all that counts here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/events/listener.h"
#include "sim/provenance/epilogues.h"
#include "sim/provenance/flow.h"
#include "sim/provenance/global_words.h"
#include "sim/provenance/origins.h"
#include "sim/provenance/registers.h"

namespace sim::provenance {

class Tracker final : public events::Listener {
  public:
    /// Forgets what there was, and follows copies from these ranges.
    void follow(Followed);
    void forget();
    Flow flow() const;

    bool follows_values() const override { return !followed_.results.empty(); }
    void instruction(events::Exec&, const events::Op&) override;
    void launch_begin(events::Grid&, const events::Order&, events::OperationId) override;
    void block_begin(events::Block&) override;
    void block_end(events::Block&) override;
    void access(events::Exec&, const events::Access&, events::Reports&) override;
    void copy_issue(events::Exec&, const events::CopyIssue&) override;
    void copy_commit(events::Warp&, uint32_t mask, uint32_t issued) override;
    void copy_wait(events::Exec&, uint32_t mask, const events::Lanes& done, uint32_t n, uint32_t issued) override;
    void barrier_arrive(events::Warp&, uint32_t mask, uint32_t id) override;
    void barrier_complete(events::Block&, uint32_t id) override;
    void barrier_release(events::Warp&, uint32_t mask, uint32_t id) override;
    void cluster_arrive(events::Warp&, uint32_t mask, bool release) override;
    void cluster_complete(events::Block& any) override;
    void cluster_release(events::Warp&, uint32_t mask, bool acquire) override;
    void mbarrier_arrive(events::Warp&, uint32_t mask, events::Mbarrier&, bool release) override;
    void mbarrier_tracks(events::Warp&, uint32_t mask, const events::Mbarrier&, uint32_t upto) override;
    void mbarrier_complete(events::Mbarrier&) override;
    void mbarrier_acquire(events::Warp&, uint32_t mask, events::Mbarrier&, bool acquire) override;
    void bulk_load(events::Exec&, const events::BulkLoad&) override;
    void bulk_store(events::Exec&, const events::BulkStore&) override;
    void matrix_issue(events::Exec&, const events::MatrixIssue&) override;
    void tensor_issue(events::Exec&, const events::TensorIssue&) override;
    void tensor_done(uint64_t number) override;
    void tensor_access(events::Exec&, const events::TensorAccess&) override;
    void tensor_commit(events::Exec&, const events::TensorCommit&) override;
    void tensor_arrive(uint64_t commit, events::Mbarrier&) override;
    void matrix_wait(events::Exec&, const events::MatrixWait&) override;

  private:
    static constexpr uint32_t no_stage = UINT32_MAX;
    struct Copy {
        uint64_t bytes = 0, used = 0;
        uint8_t means = 0;         ///< by 1 << Means
        Origin origin = 0;         ///< the copy itself
        uint32_t stage = no_stage; ///< of the block that it lands in
    };
    /// A phase of an mbarrier tracks the first `upto` copies of a warp.
    struct Tracked {
        uint32_t barrier = 0, phase = 0, upto = 0;
    };
    /// A wait that completed groups of cp.async. Groups by their numbers: [first, last).
    struct GroupWait {
        uint32_t first = 0, last = 0;           ///< in flight when it began
        uint32_t read_first = 0, read_last = 0; ///< at the reads after it: the most
        uint32_t words = 0, words_beside = 0;   ///< that the warp read after it; of these: with groups in flight
    };
    /// Where a warp is.
    struct Spot {
        const machine::DecodedFunction* function = nullptr;
        uint32_t pc = 0;
        uint32_t line() const; ///< that a reader should see
    };
    static Spot spot_of(const events::Warp&, uint32_t mask);
    /// The cp.async of one warp, by their numbers in it. Numbers of copies: 0 is none that is followed.
    struct WarpCopies {
        std::vector<uint32_t> copies;
        std::vector<uint32_t> committed;                      ///< for each group: how many copies there were
        std::vector<std::pair<uint32_t, uint32_t>> in_flight; ///< at its reads: the groups [first, second)
        uint32_t complete = 0;                                ///< copies that the warp has waited for
        uint32_t tracked = 0;                                 ///< copies that an mbarrier tracks
        std::vector<GroupWait> waits;
        uint32_t youngest = none, youngest_by = 0; ///< the stage that it issued copies for last; by these lanes
        Spot waited_for_youngest;                  ///< it has, here
        bool waited = true;                        ///< on some mbarrier, since it issued copies for that stage
        uint32_t register_limit = 0;               ///< by the last setmaxnreg
        bool raised = false;                       ///< it was .inc
        uint32_t sums = 0;                         ///< most accumulators of a wgmma, in registers of each thread
        Spot limited_at;
        std::vector<Tracked> barriers; ///< that it has not waited for
        Registers registers;
    };
    /// A phase of an mbarrier with copies.
    struct Stage {
        uint32_t barrier = 0, phase = 0;
        bool open = true;          ///< no thread has waited for it with success
        size_t read_at = SIZE_MAX; ///< at the last event that says so: how many had opened and closed stages
        std::vector<uint32_t> copies;
        bool leads = true;  ///< false: its issuer has waited for nothing since the stage before: parts of one tile
        uint32_t words = 0; ///< that threads read of what copies had brought, after the wait for it
        uint32_t words_beside = 0; ///< of these: while a later stage was open
        uint32_t beside = none;    ///< that one
    };
    struct StageEvent {
        enum Kind : uint8_t { opens, closes, completes, is_read } kind;
        uint32_t stage;
        uint32_t held = 0; ///< completes: stages that products in flight read
    };
    /// Products in flight that read a stage: those of a warpgroup, the last of them by its index, or (warpgroup: none)
    /// of tcgen05, by its number.
    struct Products {
        uint32_t warpgroup;
        uint64_t last;
        uint32_t stage;
    };
    struct BlockFlow {
        std::vector<uint32_t> words; ///< for each of shared memory: the copy that brought it, if it has not been read
        std::vector<Origin> origins; ///< for each: of what it holds
        std::vector<Origin> cells;   ///< of Tensor Memory: of what the columns hold, for each quarter of the lanes
        std::vector<WarpCopies> warps;
        std::vector<Stage> stages;
        std::vector<StageEvent> events;
        size_t changes = 0;                  ///< events that are no reads
        std::vector<uint32_t> open;          ///< stages
        std::vector<Products> products;      ///< in flight
        uint32_t current = none;             ///< the stage that was waited for last
        uint32_t own_line = 0, own_warp = 0; ///< Ahead's
        uint32_t multiplier = none;          ///< first warp of the warpgroup that issued the last wgmma
        Turns turns{};
        uint32_t waited = 0;                ///< warpgroups, by bits: since their last wgmma, at a barrier of the block
        std::array<uint32_t, 16> waiting{}; ///< for each of these barriers: warpgroups that its completion released
    };
    static constexpr uint32_t none = UINT32_MAX;

    /// The warp reads words that copies have brought: which of its own are in flight meanwhile?
    static void note_groups(WarpCopies&, uint32_t words);
    /// A thread of the block does: which other stages are open?
    static void note_stages(BlockFlow&, uint32_t words);
    /// The warp issues copies for this stage.
    static void issued(BlockFlow&, uint32_t warp, uint32_t lanes, uint32_t stage);
    const Range* source(uint64_t address) const;
    bool is_followed(uint64_t address) const { return source(address) != nullptr; }
    const Range* result(uint64_t address) const;
    uint32_t new_copy(uint8_t means, bool followed);
    BlockFlow& of(const events::Block&);
    void land(BlockFlow&, uint32_t copy, uint64_t offset, uint32_t bytes);
    uint32_t read(BlockFlow&, uint64_t offset, uint32_t bytes); ///< words that have not been read before
    void overwrite(BlockFlow&, uint64_t offset, uint32_t bytes, Origin by = 0, bool keep = false);
    static uint32_t stage(BlockFlow&, const events::Mbarrier&);
    static void note_read(BlockFlow&, uint32_t stage);
    static void note_turn(BlockFlow&, uint32_t first_warp);
    static void note_products(BlockFlow&, uint32_t warpgroup, uint64_t last);
    static uint32_t held(const BlockFlow&);
    // Of values; where none are followed, they do nothing.
    Origin origin(const BlockFlow&, uint64_t offset, uint32_t bytes);
    Origin global_origin(uint64_t address, uint32_t bytes);
    Origin origin(const events::TensorCells&);
    void overwrite(const events::TensorCells&, Origin);
    void write_global(uint64_t address, uint32_t bytes, Origin, uint8_t means, bool keep);
    void global_access(events::Exec&, const events::Access&, Registers&);
    void land_piece(events::Exec&, const events::BulkLoad&, const events::BulkBytes&, uint32_t& copy);

    uint64_t used_bytes(const std::vector<bool>& counts, std::span<const uint32_t> copies) const;
    uint32_t groups(const std::vector<bool>& counts, const WarpCopies&) const;
    uint32_t stages(const std::vector<bool>& counts, const BlockFlow&) const;
    void add_groups_ahead(Ahead&, const std::vector<bool>& counts, const WarpCopies&) const;
    void add_stages_ahead(Ahead&, const std::vector<bool>& counts, const BlockFlow&) const;
    static void add_registers(RegisterUse&, const BlockFlow&);
    void add_results(Flow&, std::vector<Origin>& origins) const;

    Followed followed_;
    std::vector<Copy> copies_;
    Origins origins_;
    mutable GlobalWords global_;
    uint64_t reloaded_ = 0, reloaded_products_ = 0;
    Epilogues epilogues_;
    std::map<const events::Block*, BlockFlow> running_;
    std::vector<BlockFlow> ended_;
    const events::Block* last_block_ = nullptr; ///< of which `last_` is what running_ holds
    BlockFlow* last_ = nullptr;
};

} // namespace sim::provenance
