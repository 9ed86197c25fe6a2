// The hazard detector: listens to the machine and the async layer, keeps clocks and shadow memory, and reports accesses
// that nothing orders.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/hazards/finding.h"
#include "sim/hazards/flow.h"
#include "sim/hazards/rule.h"
#include "sim/hazards/state.h"
#include "sim/machine/exec.h"
#include "sim/machine/listener.h"

namespace sim::hazards {

using machine::Access;
using machine::Block;
using machine::Exec;
using machine::Op;
using machine::Semantics;
using machine::Warp;

struct CopyIssue {
    uint32_t mask = 0;
    uint32_t index = 0;       ///< the warp's copies in issue order, from 1
    const uint64_t* destination = nullptr; ///< [32] shared offsets in the own block
    const uint64_t* source = nullptr;      ///< [32] global addresses
    uint32_t bytes = 0;
    const uint32_t* source_bytes = nullptr; ///< [32]
};

struct Conflict;

/// What the machine and the async layer tell it may also be recorded: see timeline/recorder.h.
class Detector : public machine::Listener {
  public:
    Detector(memory::GlobalMemory& memory, std::function<machine::DecodedFunction*(uint32_t)> function_at);
    ~Detector() override;

    Reporter& reporter() override { return reporter_; }
    void set_schedule(const machine::Schedule& schedule) override { schedule_ = schedule; }
    bool written_by_kernel(memory::Allocation&, uint64_t address, uint64_t bytes, machine::OperationId) override;

    // machine::Observer
    void launch_begin(machine::Grid&, const machine::Order&, machine::OperationId) override;
    void launch_end(machine::Grid&) override;
    void block_begin(Block&) override;
    void block_end(Block&) override;
    uint32_t access(Exec&, const Op&, const Access&, std::array<uint32_t, 32>& reports) override;
    void used(Exec&, const Op&, uint32_t report) override;
    void fence(Exec&, Semantics, Scope, uint32_t mask) override;
    void warp_sync(Warp&, uint32_t mask) override;
    void warp_rendezvous(Warp&, uint32_t mask) override;
    void barrier_arrive(Warp&, uint32_t mask, uint32_t id) override;
    void barrier_complete(Block&, uint32_t id) override;
    void barrier_release(Warp&, uint32_t mask, uint32_t id) override;
    void cluster_arrive(Warp&, uint32_t mask, bool release) override;
    void cluster_complete(Block& any) override;
    void cluster_release(Warp&, uint32_t mask, bool acquire) override;
    void problem(Warp*, uint32_t mask, const Op*, const char* rule, const std::string& message) override;
    void host_write(memory::Allocation&, uint64_t address, uint64_t bytes, const machine::Order&,
                    machine::OperationId, std::string_view what) override;
    void host_read(memory::Allocation&, uint64_t address, uint64_t bytes, const machine::Order&,
                   machine::OperationId, std::string_view what) override;

    /// The warp comes to a block or cluster barrier: what follows is told without the executing Exec.
    virtual void at_barrier(Exec&, const Op&) {}

    // --- from the async layer ---------------------------------------------------------------------------------------
    virtual void copy_issue(Exec&, const Op&, const CopyIssue&);
    virtual void copy_commit(Warp&, uint32_t mask, uint32_t issued);
    /// Lanes `mask` have waited; their copies up to done[lane] are complete. `n`: the wait's N.
    virtual void copy_wait(Exec&, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued);
    void proxy_fence(Exec&, uint32_t mask, bool shared, bool global);

    virtual void mbarrier_init(Exec&, const Op&, int lane, Block& owner, uint32_t offset, BarrierClock&);
    /// Any other use of an mbarrier: is it initialised for this thread?
    virtual void mbarrier_use(Exec&, const Op&, uint32_t mask, Block& owner, uint32_t offset, const BarrierClock&);
    virtual void mbarrier_arrive(Warp&, uint32_t mask, BarrierClock&, bool release);
    /// cp.async.mbarrier.arrive: an arrival will follow when the copies of those lanes up to `upto` are complete.
    virtual void mbarrier_tracks(Warp&, uint32_t mask, const BarrierClock&, uint32_t upto);
    /// A deferred arrive of cp.async.mbarrier.arrive: the copies of `lane` up to `upto` are complete.
    virtual void mbarrier_copies(Warp&, uint32_t mask, BarrierClock&, uint32_t upto);
    virtual void mbarrier_complete(BarrierClock&, uint32_t phases); ///< `phases` completed so far, this one included
    virtual void mbarrier_acquire(Warp&, uint32_t mask, BarrierClock&, bool acquire);
    /// For somebody who waits in vain: who has arrived in this phase, and which phases went by unnoticed.
    std::string mbarrier_history(const Warp&, uint32_t mask, const BarrierClock&);
    void mbarrier_invalidate(Exec&, const Op&, int lane, Block& owner, uint32_t offset);

    /// Bytes of a bulk copy: `address` in global memory (or an offset in `source_block`), `offset` in shared memory.
    struct BulkBytes {
        uint64_t address;
        uint32_t offset;
        uint32_t bytes;
        bool inside; ///< false: outside the tensor, no global memory is touched
    };
    /// A bulk copy into `destination` that completes on `barrier`. Returns its number. `source_block`: the source is that
    /// block's shared memory; nullptr: global memory.
    virtual uint64_t bulk_load_issue(Exec&, const Op&, int lane, Block& destination, Block* source_block,
                             std::span<const BulkBytes> bytes, const BarrierClock& barrier, bool reduction);
    /// A bulk copy from the executing block's shared memory to global memory; `index`: the warp's bulk stores in order.
    virtual uint64_t bulk_store_issue(Exec&, const Op&, int lane, std::span<const BulkBytes> bytes, uint32_t index,
                              bool reduction);
    /// st.async or red.async of `bytes` bytes to `offset` in `destination`; completes on `barrier`.
    uint64_t async_store_issue(Exec&, const Op&, int lane, Block& destination, uint32_t offset, uint32_t bytes,
                               const BarrierClock& barrier, bool reduction);
    /// Lanes have waited: their bulk stores up to upto[lane] are read (`read_only`) or complete.
    virtual void bulk_wait(Exec&, uint32_t mask, const Lanes& upto, bool read_only);
    void bulk_commit(Warp&, uint32_t mask, uint32_t issued);
    /// `expected`: bytes that the phase still expected when the copy's `bytes` bytes arrived.
    virtual void bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected);
    /// The last threads of a block end while this copy into its shared memory is in flight.
    void bulk_outlives(Warp&, uint64_t number, bool from_peer);

    /// Is one of these lanes ordered after the completion of this copy?
    bool bulk_known(Warp&, uint32_t mask, uint64_t number);
    /// A block ends whose shared memory this copy reads, and nobody there knew that it has been read.
    void bulk_source_outlives(uint64_t number);
    /// What is odd about a copy's tensor map, for findings about the copy.
    void bulk_remark(uint64_t number, std::string remark) { bulk_remarks_[number] = std::move(remark); }

    /// fence.proxy.tensormap::generic.release: what these lanes are ordered after may be acquired as a tensor map.
    void map_release(Exec&, uint32_t mask, Scope);
    void map_acquire(Exec&, uint32_t lane, uint64_t address, Scope);
    /// tensormap.cp_fenceproxy by the executing warp: 128 bytes of shared memory to `address`, then the release.
    void map_copy(Exec&, const Op&, Block& source, uint32_t offset, uint64_t address, Scope);
    /// The tensor map at `address` is read through the tensormap proxy: by the copy that is issued next, or by a
    /// prefetch.
    void map_use(Exec&, const Op&, uint32_t lane, uint64_t address, bool by_copy);

    /// Reports `rule` at `op`, for lanes of the warp.
    void report(Exec&, const Op&, uint32_t mask, const char* rule, std::string action, std::string message,
                std::string remedy = {});

  private:
    friend struct Conflict;
    struct Launch {
        uint64_t base = 0, async_base = 0;
        machine::OperationId operation = 0;
        machine::Order order;
        std::string kernel;
        ClockRef nothing;
    };
    struct Operation {
        machine::OperationId id;
        uint64_t base, count;
        std::string what;
    };
    /// What a check was about, to find the rule that names it.
    enum class Role { load, store, atomic, copy_source, copy_destination, async_read, async_write };
    /// What to report if the value of a load is used.
    struct PendingReport {
        Finding finding;    ///< no rule: nothing yet
        uint64_t block = 0; ///< device-wide number
        Epoch thread = 0;   ///< of an early read: fields of an epoch
        bool early = false; ///< it may turn out that the bytes were written later: reported when nobody can any more
        ptx::Space space = ptx::Space::shared;
        bool used = false;
        bool settled = false; ///< reported, or known to be nothing
        uint32_t told_by = 0; ///< the entry that tells of the same line
    };

    WarpState& state(Warp& warp) { return *static_cast<WarpState*>(warp.detector); }
    BlockState& state(Block& block) { return *static_cast<BlockState*>(block.detector); }
    GlobalShadow& shadow(memory::Allocation& allocation);

    /// Is what `e` names ordered before lane `lane` of `ws` now? `proxy`: as seen by the async proxy, in that space.
    enum class Proxy : uint8_t { generic, async_shared, async_global };
    /// `was_read`: `e` read the bytes (a bulk store has read its source before it has written its destination).
    bool ordered(const WarpState& ws, uint32_t lane, Epoch e, Proxy proxy = Proxy::generic, bool was_read = false) const;
    /// Are all reads that `cell` remembers ordered before lane `lane`? If not, *bad is one that is not.
    bool reads_ordered(const WarpState& ws, uint32_t lane, const Cell& cell, const ReadSets& sets, Proxy proxy,
                       bool atomic, Reader* bad) const;
    bool readers_ordered(const WarpState& ws, uint32_t lane, const Reader& readers, Proxy proxy, Reader* bad) const;
    bool operation_ordered(uint64_t block) const;
    /// Lanes `mask` (which know the same) read the cell; `mine` has no lane.
    void record_read(const WarpState& ws, uint32_t mask, Cell& cell, ReadSets& sets, Epoch mine, uint32_t pc);
    void collect_read_sets(SharedShadow&);
    void collect_read_sets(GlobalShadow&);

    /// What a relaxed write by that lane tells of other threads: all that they have fenced themselves.
    ClockRef fenced_by_others(WarpState& ws, uint32_t lane);
    /// Plane `from` of a clock as plane `to` of a new one; nullptr: there is nothing in it.
    static ClockRef projected(const ClockRef& clock, Plane from, Plane to);
    ClockRef released(WarpState& ws, uint32_t mask); ///< clock of those lanes (one group), own progress included
    void join_into(ClockBuilder& builder, WarpState& ws, uint32_t mask);
    void acquire(WarpState& ws, uint32_t mask, const ClockRef& clock, bool replaces = false);
    void strong_access(Exec&, const Access&, WarpState& ws, int lane, Cell& cell, uint64_t key);

    template <class CellAt>
    uint32_t access_lanes(Exec&, const Op&, const Access&, std::array<uint32_t, 32>& reports, ShadowTables&, CellAt&&);
    /// The slow path of an access that is not ordered: makes the finding (nullopt: an excuse was found).
    std::optional<Finding> conflict(Exec& x, const Op& op, WarpState& ws, uint32_t lane, Role role, Epoch other,
                                    uint32_t other_pc, bool other_wrote, ptx::Space space);
    uint32_t hold(Finding finding); ///< keeps a load's finding until its value is used
    /// A load by that lane that read nothing yet, or whose value may be dropped; its number.
    uint32_t hold_early(const WarpState& ws, uint32_t lane, uint32_t pc, ptx::Space, std::optional<Finding> finding);
    /// A write comes after a read that is not ordered before it: is that read one of hold_early()'s? Then the finding is
    /// dealt with here.
    bool settle_early(Conflict& conflict);
    /// Early reads of shared memory by that block, or (nullptr) of global memory by any.
    void report_early(const BlockState* block);
    /// Does the program mean the instruction at `first` to come before the one at `second`?
    bool leads(uint32_t first, uint32_t second, Distance);
    uint32_t next_wait(uint32_t pc);
    /// Can the instruction at `access` follow the copy at `copy` without a wait between them?
    bool unwaited(uint32_t copy, uint32_t access);
    template <class F>
    bool ask_flow(size_t question, uint32_t first, uint32_t second, F&& f);
    // Notes (notes.cpp).
    bool first_time(uint32_t pc, uint32_t other_pc) { return noted_pairs_.insert(uint64_t{pc} << 32 | other_pc).second; }
    void note_no_overlap(Exec&, const Op&, WarpState&, uint32_t mask);
    void note_unwaited_phase(Warp&, uint32_t mask, uint32_t pc, const BarrierClock&);
    void note_synchronous_copy(Exec&, const Op&, uint32_t mask);
    void emit(std::optional<Finding> finding);
    /// For accesses that are reported at once: is the cell's last write ordered? Reports if not.
    void check_read(Exec&, const Op&, WarpState&, uint32_t lane, Cell&, Role, Proxy, ptx::Space);
    /// Are the cell's last write and its reads ordered?
    void check_write(Exec&, const Op&, WarpState&, uint32_t lane, Cell&, const ReadSets&, Role, Proxy, ptx::Space);
    /// One cell of a bulk copy's source or destination.
    void bulk_read(Exec&, const Op&, uint32_t lane, Epoch mine, Cell&, ReadSets&, Proxy, ptx::Space);
    void bulk_write(Exec&, const Op&, uint32_t lane, Epoch mine, Cell&, const ReadSets&, Proxy, ptx::Space, bool reduction);
    Cell* cell_for(ptx::Space, Block*, memory::Allocation*, uint64_t address);
    Place place(uint32_t pc, std::string action) const;
    Place place(Epoch e, uint32_t pc, std::string action) const;

    memory::GlobalMemory& memory_;
    std::function<machine::DecodedFunction*(uint32_t)> function_at_;
    Reporter reporter_;
    machine::Schedule schedule_;
    uint64_t next_block_ = 1;
    std::vector<Operation> operations_;
    Launch launch_;
    std::deque<AsyncOp> async_ops_;
    std::unordered_map<uint64_t, std::string> bulk_remarks_;
    uint64_t first_async_ = 0; ///< number of async_ops_.front()
    uint32_t next_barrier_ = 1;
    bool device_fences_ = false; ///< a fence of device scope has been executed in this launch
    bool relaxed_reads_ = false; ///< a relaxed access has read what a fence has published
    std::unordered_map<uint64_t, LocationClock> locations_; ///< of global memory
    /// What the bulk copy being issued is known to be ordered after.
    struct BulkMemo {
        Epoch write = ~Epoch{0}, read = ~Epoch{0};
        uint32_t read_pc = 0;
    };
    BulkMemo bulk_memo_;
    ClockRef map_released_; ///< what some release towards the tensormap proxy has covered
    std::unordered_set<uint64_t> noted_pairs_; ///< pairs of pcs that a note has been made of
    std::unordered_map<const machine::DecodedFunction*, Flow> flows_;
    std::array<std::unordered_map<uint64_t, bool>, 4> flow_answers_; ///< for pairs of pcs; by Distance, then unwaited()
    std::vector<bool> stores_seen_;                           ///< pcs of stores to shared memory that have been looked at
    std::vector<PendingReport> pending_;
    std::map<std::pair<Epoch, uint32_t>, uint32_t> early_; ///< thread (an epoch's fields) and pc -> number in pending_
    std::set<uint64_t> early_blocks_;                      ///< blocks with entries in pending_ that are `early`
    std::unordered_map<uint64_t, uint32_t> held_; ///< pairs of pcs -> times held
    std::unordered_map<uint64_t, std::unique_ptr<BlockState>> blocks_; ///< resident, by device-wide number
    std::vector<std::unique_ptr<BlockState>> spare_blocks_;
    struct ClusterClocks {
        ClockBuilder arriving;
        ClockRef completed;
    };
    std::unordered_map<uint64_t, ClusterClocks> clusters_;
};

} // namespace sim::hazards
