// Records what one block, or one cluster, does, for a page that steps through it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "sim/events/listener.h"
#include "sim/machine/exec.h"
#include "sim/provenance/global_words.h"
#include "sim/provenance/registers.h"
#include "sim/stepper/recording.h"
#include "sim/stepper/variables.h"

namespace sim::stepper {

struct RecorderOptions {
    uint64_t block = 0; ///< number in its grid; the other blocks of its cluster are recorded, too
    uint64_t first = 0; ///< steps before the first one that is kept
    size_t most_steps = 6000;
    std::optional<uint64_t> also{}; ///< another block to record, with its cluster
};

/// For machine::Options::listener. Keeps the first launch with a finding; if there is none, the first in which the
/// block makes asynchronous copies; else the first. `into` must outlive the device.
std::function<std::unique_ptr<events::Listener>()> recorder(Recording& into, RecorderOptions options = {});

class Recorder final : public events::Listener {
  public:
    using Block = machine::Block;
    using Warp = machine::Warp;
    using Exec = machine::Exec;
    using Lanes = events::Lanes;
    using Kind = Step::Kind;

    Recorder(Recording& into, RecorderOptions options) : options_(options), result_(into) {}

    uint64_t moment() override;
    bool follows_values() const override { return true; }
    void instruction(Exec&, const events::Op&) override;
    void launch_begin(machine::Grid&, const events::Order&, events::OperationId) override;
    void launch_end(machine::Grid&) override;
    void block_begin(Block&) override;
    void block_end(Block&) override;
    void access(Exec&, const events::Access&, events::Reports& reports) override;
    void fence(Exec&, events::Semantics, events::Scope, uint32_t mask) override;
    void proxy_fence(Exec&, uint32_t mask, bool shared, bool global) override;
    void warp_sync(Warp&, uint32_t mask) override;
    void barrier_arrive(Warp&, uint32_t mask, uint32_t id) override;
    void barrier_complete(Block&, uint32_t id) override;
    void barrier_release(Warp&, uint32_t mask, uint32_t id) override;
    void cluster_arrive(Warp&, uint32_t mask, bool release) override;
    void cluster_complete(Block& any) override;
    void cluster_release(Warp&, uint32_t mask, bool acquire) override;

    void copy_issue(Exec&, const events::CopyIssue&) override;
    void copy_commit(Warp&, uint32_t mask, uint32_t issued) override;
    void copy_wait(Exec&, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued) override;
    void mbarrier_init(Exec&, int lane, events::Mbarrier&) override;
    void mbarrier_use(Exec&, uint32_t mask, const events::Mbarrier&) override;
    void mbarrier_arrive(Warp&, uint32_t mask, events::Mbarrier&, bool release) override;
    void mbarrier_tracks(Warp&, uint32_t mask, const events::Mbarrier&, uint32_t upto) override;
    void mbarrier_copies(Warp&, uint32_t mask, events::Mbarrier&, uint32_t upto) override;
    void mbarrier_acquire(Warp&, uint32_t mask, events::Mbarrier&, bool acquire) override;
    void mbarrier_invalidate(Exec&, int lane, events::Mbarrier&) override;
    void bulk_load(Exec&, const events::BulkLoad&) override;
    void bulk_store(Exec&, const events::BulkStore&) override;
    void bulk_commit(Warp&, uint32_t mask, uint32_t issued) override;
    void bulk_wait(Exec&, uint32_t mask, const Lanes& upto, bool read_only) override;
    void bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected) override;
    void matrix_issue(Exec&, const events::MatrixIssue&) override;
    void tensor_issue(Exec&, const events::TensorIssue&) override;
    void tensor_done(uint64_t number) override;
    void tensor_access(Exec&, const events::TensorAccess&) override;
    void tensor_wait(Exec&, bool stores) override;
    void tensor_commit(Exec&, const events::TensorCommit&) override;
    void tensor_arrive(uint64_t commit, events::Mbarrier&) override;
    void tensor_fence(Exec&, uint32_t mask, bool after) override;
    void tensor_allocated(Exec&, const events::TensorCells&) override;
    void tensor_freed(Exec&, const events::TensorCells&) override;
    void map_release(Exec&, uint32_t mask, events::Scope) override;
    void map_acquire(Exec&, uint32_t lane, uint64_t address, events::Scope) override;
    void map_copy(Exec&, Block& source, uint32_t offset, uint64_t address, events::Scope) override;
    void map_use(Exec&, uint32_t lane, uint64_t address, uint64_t copy) override;
    void misuse(Warp*, uint32_t mask, const events::Op*, const events::Misuse&) override;

  private:
    static constexpr uint32_t map_bytes = 128;
    /// An atomic operation that is being executed.
    struct Update {
        uint32_t step = 0, bytes = 0;
        uint64_t skipped = 0, address = 0, before = 0;
    };
    struct Flight {
        uint32_t block, barrier;
        std::vector<Range> ranges;
    };
    /// A tcgen05 operation that is not complete, or a commit that has not arrived everywhere.
    struct TensorWork {
        uint32_t block = 0, warp = 0, mask = 0;
        size_t left = 1; ///< of a commit: arrivals
        std::vector<Cells> cells{};
    };
    struct Names {
        explicit Names(const machine::DecodedFunction& function) : variables(function) {}
        Variables variables;
        std::unordered_map<uint32_t, uint32_t> indices{}; ///< of registers, by OperandRef::value
    };
    /// Where a warp is, and the registers that it has used at that line.
    struct LineOf {
        const machine::Frame* frame = nullptr;
        uint32_t place = none, mask = 0;
        uint32_t step = none; ///< that the instruction has made which executed last
        uint64_t skipped = 0;
        std::vector<std::pair<uint32_t, bool>> registers{}; ///< and whether it has written them
    };
    /// A strong access to global memory, the last step of its warp.
    struct Poll {
        uint32_t pc = 0, step = 0;
        uint64_t address = 0, skipped = 0;
        uint32_t writes = 0; ///< to that address by then
    };

    /// The place of a block in Recording::blocks; none: it is not recorded.
    uint32_t rank(const Block* block) const;
    bool ours(const Warp& warp) const { return rank(&warp.block) != none; }
    void join(Block& block);
    void name_memory(Block& block);
    /// The changes since the last step belong to it; then waits that have begun become steps of their own.
    void settle(const Warp* running);
    void settle_barriers();
    void settle_maps();
    std::vector<FragmentState> fragments(const Warp& warp);
    void note_warps(Step& step);
    /// The next steps show everything again.
    void forget_shown();
    uint32_t place(const Warp& warp);
    uint32_t place(const machine::DecodedFunction& function, uint32_t pc);
    uint32_t barrier(const events::Mbarrier& barrier) const;
    uint32_t barrier_at(const Block& block, uint32_t offset) const;
    /// The tensor map there, `owner` being the block whose shared memory contains it, or nullptr; a new one is noted.
    /// none: there are too many.
    uint32_t map(const Block* owner, uint64_t address);
    MapState state(uint32_t map) const;
    void show_map(Step& step, uint32_t map);
    /// A write to shared memory or (`owner` is nullptr) global memory: is it to a map?
    void note_map_write(Step& step, const Block* owner, const events::Access& access);
    /// Sets Step::first of the last atomic operation on global memory.
    void finish_update();
    void note_ahead(Step& step);
    /// Polls that find nothing new are one step: is this another one of it?
    bool is_poll_again(Exec& x, const events::Access& access);
    void note_poll(Exec& x, const events::Access& access);
    /// Writes by any block to addresses that are polled.
    void count_writes(const events::Access& access);
    /// nullptr: there are too many already. Only the newest of the steps before the first to keep is present.
    Step* add(Kind kind, const Block& block, const Warp* warp, uint32_t mask);
    /// Goes on with the last step if this is more of the same.
    Step* add_more(Kind kind, const Warp& warp, uint32_t mask, const Block* memory, bool global);
    Step* add_bulk(Kind kind, Exec& x, int lane, std::span<const events::BulkBytes> pieces);
    // Values: their origins are the steps that put them into memory. `owner`: nullptr is global memory.
    provenance::Registers& registers(const Warp&);
    void forget_values();
    provenance::Origin this_step();
    provenance::Origin held(const Block* owner, uint64_t address, uint32_t bytes);
    void put(const Block* owner, uint64_t address, uint32_t bytes, provenance::Origin by);
    void note_from(Step& step, provenance::Origin);
    void note_values(Exec& x, Step& step, const events::Access& access);
    void note_copy(Step& step, const events::CopyIssue& copy, const Block& block);
    void note_load(Exec& x, Step& step, const events::BulkLoad& copy);
    void note_store(Step& step, const events::BulkStore& copy, const Block& block);
    /// Those of recorded blocks; rectangles that touch are one, and what is written is not listed as read, too.
    std::vector<Cells> recorded(std::span<const events::TensorCells>) const;
    provenance::Origin held(const std::vector<Cells>&, bool written);
    void put(const std::vector<Cells>&, provenance::Origin by);

    const Names& names(const machine::DecodedFunction& function);
    uint32_t register_number(const machine::DecodedFunction& function, uint32_t index);
    void note_registers(Exec& x, const events::Op& op);
    void take_values(Exec& x, LineOf& line);
    void forget_registers();
    /// The next steps are those of a finding.
    void will_show_registers();

    RecorderOptions options_;
    Recording& result_;
    Recording current_;
    int worth_ = 0; ///< of result_: 3 something was found, 2 copies, 1 a launch
    bool found_ = false, sealed_ = false;
    bool changing_ = false;    ///< what an mbarrier changes now belongs to the next step
    bool maps_change_ = false; ///< by the step that is being executed
    uint32_t used_map_ = none; ///< by the copy that is about to be issued
    uint64_t launches_ = 0;
    const machine::Grid* grid_ = nullptr;                        ///< the launch that is recorded, while it runs
    std::vector<Block*> blocks_;                                 ///< as Recording::blocks; nullptr: it has ended
    std::vector<uint64_t> clusters_;                             ///< that are recorded
    std::vector<std::vector<std::vector<FragmentState>>> shown_; ///< of each block's warps, at the last step
    std::vector<BarrierState> states_;                           ///< of Recording::barriers
    std::vector<MapState> map_states_;                           ///< of Recording::maps
    std::unordered_map<uint32_t, uint32_t> barriers_;            ///< Recording::barriers by events::Mbarrier::id
    std::unordered_map<uint64_t, Flight> flights_;               ///< by events::BulkLoad::number
    std::unordered_map<uint64_t, TensorWork> tensor_;            ///< by number
    std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> asked_; ///< by block and warp: the last wait
    std::optional<Update> update_;
    std::map<std::pair<uint32_t, uint32_t>, Poll> polls_; ///< by block and warp
    std::unordered_map<uint64_t, uint32_t> writes_;       ///< by address that is polled
    std::unordered_map<uint32_t, uint32_t> places_;       ///< by device-wide pc
    provenance::Origins origins_;
    std::map<std::pair<uint32_t, uint32_t>, provenance::Registers> registers_; ///< by block and warp
    std::map<uint32_t, std::vector<provenance::Origin>> shared_words_;         ///< by block
    std::map<uint32_t, std::vector<provenance::Origin>> tensor_cells_; ///< by block: 16 lanes of a column together
    provenance::GlobalWords global_words_;
    std::pair<uint32_t, provenance::Origin> last_step_{none, 0};
    std::map<const machine::DecodedFunction*, std::unique_ptr<Names>> names_;
    std::map<std::pair<const machine::DecodedFunction*, uint32_t>, uint32_t> register_numbers_;
    std::map<std::pair<uint32_t, uint32_t>, LineOf> lines_; ///< by block and warp
    std::set<uint32_t> noted_;                              ///< places whose Recording::absent is known
    size_t numbers_ = 0, until_ = 0; ///< that the recording's values take; the step until which it may take more
};

} // namespace sim::stepper
