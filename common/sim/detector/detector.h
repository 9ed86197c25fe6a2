// The hazard detector: listens to the machine and its asynchronous units, keeps clocks and shadow memory, and reports
// accesses that nothing orders.
#pragma once

#include "sim/detector/detector_part.h"
#include "sim/detector/store_buffering.h"
#include "sim/detector/trackers.h"
#include "sim/events/listener.h"
#include "sim/report/gap.h"

namespace sim::hazards {

class Detector final : public events::Listener {
  public:
    using BulkLoad = events::BulkLoad;
    using BulkStore = events::BulkStore;
    using CopyIssue = events::CopyIssue;
    using Mbarrier = events::Mbarrier;

    Detector(memory::GlobalMemory& memory, Places::FunctionAt function_at) : core_(memory, std::move(function_at)) {}

    Reporter& reporter() { return core_.findings.reporter; }
    events::Divisible& divisible() { return part_; }
    /// What has not been judged so far.
    std::vector<Gap> gaps() const;
    /// A misuse that the program's own side saw; the places are the caller's.
    void report(const HostMisuse& misuse, Place first, std::optional<Place> second);
    /// What goes wrong in another order; the places are the caller's.
    void report(const OrderFault& fault, Place first, std::optional<Place> second) {
        core_.findings.report(fault, std::move(first), std::move(second));
    }
    const Places& places() const { return core_.places; }
    /// Was every byte of the range last written by a launch with an id of at least `since`?
    bool written_by_kernel(memory::Allocation&, uint64_t address, uint64_t bytes, events::OperationId since);

    void schedule(const machine::Schedule& schedule) override { core_.findings.schedule = schedule; }
    void launch_begin(machine::Grid&, const events::Order&, events::OperationId) override;
    void launch_end(machine::Grid&) override;
    void launch_resume(machine::Grid&) override;
    void block_begin(Block&) override;
    void block_end(Block&) override;
    void dependency_wait(Warp& warp, uint32_t mask) override;
    bool launches_complete(Warp& warp, uint32_t mask) override;

    void access(Exec& x, const events::Access& access, events::Reports& reports) override {
        buffering_.access(x, access);
        return accesses_.access(x, access, reports);
    }
    void used(uint32_t report) override { core_.held.used(report); }
    void fence(Exec& x, Semantics semantics, Scope scope, uint32_t mask) override;
    void proxy_fence(Exec& x, uint32_t mask, bool shared, bool global) override;

    void warp_sync(Warp& warp, uint32_t mask) override {
        buffering_.meet(warp, mask);
        barriers_.warp_sync(warp, mask);
    }
    uint32_t undefined_value(Exec& x, uint32_t lane, const events::Misuse& why) override {
        return barriers_.undefined_value(x, lane, why);
    }
    void warp_rendezvous(Warp& warp, uint32_t mask) override { barriers_.warp_rendezvous(warp, mask); }
    void barrier_arrive(Warp& warp, uint32_t mask, uint32_t id) override { barriers_.barrier_arrive(warp, mask, id); }
    void barrier_complete(Block& block, uint32_t id) override { barriers_.barrier_complete(block, id); }
    void barrier_release(Warp& warp, uint32_t mask, uint32_t id) override {
        buffering_.meet(warp, mask);
        barriers_.barrier_release(warp, mask, id);
    }
    void cluster_arrive(Warp& warp, uint32_t mask, bool release) override {
        barriers_.cluster_arrive(warp, mask, release);
    }
    void cluster_complete(Block& any) override {
        barriers_.cluster_complete(any);
        exits_.cluster_complete(any);
    }
    void cluster_release(Warp& warp, uint32_t mask, bool acquire) override {
        buffering_.meet(warp, mask);
        barriers_.cluster_release(warp, mask, acquire);
    }

    void copy_issue(Exec& x, const CopyIssue& copy) override { copies_.issue(x, copy); }
    void copy_commit(Warp& warp, uint32_t mask, uint32_t issued) override { copies_.commit(warp, mask, issued); }
    void copy_wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued) override {
        copies_.wait(x, mask, done, n, issued);
    }

    void mbarrier_init(Exec& x, int lane, Mbarrier& barrier) override { mbarriers_.init(x, lane, barrier); }
    void mbarrier_use(Exec& x, uint32_t mask, const Mbarrier& barrier) override { mbarriers_.use(x, mask, barrier); }
    void mbarrier_arrive(Warp& warp, uint32_t mask, Mbarrier& barrier, bool release) override {
        mbarriers_.arrive(warp, mask, barrier, release);
    }
    void mbarrier_tracks(Warp& warp, uint32_t mask, const Mbarrier& barrier, uint32_t upto) override {
        mbarriers_.tracks(warp, mask, barrier, upto);
    }
    void mbarrier_copies(Warp& warp, uint32_t mask, Mbarrier& barrier, uint32_t upto) override {
        mbarriers_.copies(warp, mask, barrier, upto);
    }
    void mbarrier_complete(Mbarrier& barrier) override { mbarriers_.complete(barrier); }
    void mbarrier_acquire(Warp& warp, uint32_t mask, Mbarrier& barrier, bool acquires) override {
        mbarriers_.acquire(warp, mask, barrier, acquires);
    }
    void mbarrier_invalidate(Exec& x, int lane, Mbarrier& barrier) override { mbarriers_.invalidate(x, lane, barrier); }
    std::string mbarrier_history(const Warp& warp, uint32_t mask, const Mbarrier& barrier) override {
        return mbarriers_.history(warp, mask, barrier);
    }

    void bulk_load(Exec& x, const BulkLoad& copy) override { bulk_.load(x, copy); }
    void bulk_store(Exec& x, const BulkStore& copy) override { bulk_.store(x, copy); }
    void bulk_remark(uint64_t number, const std::string& remark) override;
    void bulk_commit(Warp& warp, uint32_t mask, uint32_t issued) override { bulk_.commit(warp, mask, issued); }
    void bulk_wait(Exec& x, uint32_t mask, const Lanes& upto, bool read_only) override {
        bulk_.wait(x, mask, upto, read_only);
    }
    void bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected) override {
        bulk_.landed(number, phase, bytes, expected);
    }
    bool bulk_known(Warp& warp, uint32_t mask, uint64_t number) override { return bulk_.known(warp, mask, number); }
    void bulk_outlives(Warp& warp, uint64_t number, bool from_peer) override {
        bulk_.outlives(warp, number, from_peer);
    }
    void memory_gone(Warp&, uint32_t mask, uint32_t pc, const events::Stopped&) override;
    void bulk_source_outlives(uint64_t number) override { bulk_.source_outlives(number); }

    void matrix_issue(Exec& x, const events::MatrixIssue& issue) override { matrices_.issue(x, issue); }
    void matrix_wait(Exec& x, const events::MatrixWait& wait) override { matrices_.wait(x, wait); }

    void tensor_issue(Exec& x, const events::TensorIssue& issue) override { tensors_.issue(x, issue); }
    void tensor_access(Exec& x, const events::TensorAccess& access) override { tensors_.access(x, access); }
    void tensor_wait(Exec& x, bool stores) override { tensors_.wait(x, stores); }
    void tensor_commit(Exec& x, const events::TensorCommit& commit) override { tensors_.commit(x, commit); }
    void tensor_arrive(uint64_t commit, Mbarrier& barrier) override { tensors_.arrive(commit, barrier); }
    void tensor_fence(Exec& x, uint32_t mask, bool after) override { tensors_.fence(x, mask, after); }
    void tensor_allocated(Exec& x, const events::TensorCells& cells) override { tensors_.allocated(x, cells); }
    void tensor_freed(Exec& x, const events::TensorCells& cells) override { tensors_.freed(x, cells); }
    void tensor_leaked(Block& block, uint32_t column, uint32_t columns) override {
        tensors_.leaked(block, column, columns);
    }

    void map_release(Exec& x, uint32_t mask, Scope scope) override {
        core_.communicates = core_.communicates || scope >= Scope::gpu;
        maps_.release(x, mask, scope);
    }
    void map_acquire(Exec& x, uint32_t lane, uint64_t address, Scope scope) override {
        core_.communicates = core_.communicates || scope >= Scope::gpu;
        maps_.acquire(x, lane, address, scope);
    }
    void map_copy(Exec& x, Block& source, uint32_t offset, uint64_t address, Scope scope) override;
    void map_use(Exec& x, uint32_t lane, uint64_t address, uint64_t copy) override {
        maps_.use(x, lane, address, copy);
    }

    void host_write(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
                    events::OperationId id, std::string_view what) override {
        host_.write(allocation, address, bytes, order, id, what);
    }
    void host_read(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
                   events::OperationId id, std::string_view what) override {
        host_.read(allocation, address, bytes, order, id, what);
    }
    void host_allocated(memory::Allocation&, const events::Order& order, events::OperationId id) override {
        core_.ordering.operations.begin(id, order, 1, "cudaMallocAsync");
    }
    void host_free(memory::Allocation& allocation, const events::Order& order, events::OperationId id,
                   std::string_view what) override {
        host_.free(allocation, order, id, what);
    }

    void misuse(Warp* warp, uint32_t mask, const machine::Op* op, const events::Misuse& misuse) override;

  private:
    std::optional<ArrivedTwice> arrived_twice(const Warp& warp, uint32_t mask,
                                              const events::ArrivalTooMany& many) const;
    void barriers_that_count_too_few(const BlockState& block);
    void named_barriers_that_count_too_few(Block& block);
    void deadlock(const events::Stopped& stop, Place place);
    /// A launch that has begun and not ended.
    struct Running {
        Operation operation;
        std::string kernel;
        bool alone;
    };
    Core core_;
    std::unordered_map<const machine::Grid*, Running> running_;
    AccessTracker accesses_{core_};
    StoreBuffering buffering_{core_};
    BarrierTracker barriers_{core_};
    CopyTracker copies_{core_};
    MbarrierTracker mbarriers_{core_};
    BulkTracker bulk_{core_};
    MatrixTracker matrices_{core_};
    TensorTracker tensors_{core_, bulk_};
    MapTracker maps_{core_};
    HostTracker host_{core_};
    ExitTracker exits_{core_};
    DetectorPart part_{core_};
};

} // namespace sim::hazards
