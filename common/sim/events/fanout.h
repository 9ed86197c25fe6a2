// Two listeners as one. The first one's answers count.
#pragma once

#include "sim/events/listener.h"

namespace sim::events {

class Fanout final : public Listener {
  public:
    Fanout(Listener& first, Listener& second) : first_(first), second_(second) {}

    bool follows_values() const override { return first_.follows_values() || second_.follows_values(); }
    void instruction(Exec& x, const Op& op) override {
        first_.instruction(x, op);
        second_.instruction(x, op);
    }
    void schedule(const machine::Schedule& schedule) override {
        first_.schedule(schedule);
        second_.schedule(schedule);
    }
    void launch_begin(Grid& grid, const Order& order, OperationId id) override {
        first_.launch_begin(grid, order, id);
        second_.launch_begin(grid, order, id);
    }
    void launch_end(Grid& grid) override {
        first_.launch_end(grid);
        second_.launch_end(grid);
    }
    void launch_resume(Grid& grid) override {
        first_.launch_resume(grid);
        second_.launch_resume(grid);
    }
    void block_begin(Block& block) override {
        first_.block_begin(block);
        second_.block_begin(block);
    }
    void block_end(Block& block) override {
        first_.block_end(block);
        second_.block_end(block);
    }
    void access(Exec& x, const Access& access, Reports& reports) override {
        Reports unused;
        second_.access(x, access, unused);
        first_.access(x, access, reports);
    }
    void used(uint32_t report) override {
        first_.used(report);
        second_.used(report);
    }
    void fence(Exec& x, Semantics semantics, Scope scope, uint32_t mask) override {
        first_.fence(x, semantics, scope, mask);
        second_.fence(x, semantics, scope, mask);
    }
    void proxy_fence(Exec& x, uint32_t mask, bool shared, bool global) override {
        first_.proxy_fence(x, mask, shared, global);
        second_.proxy_fence(x, mask, shared, global);
    }
    void warp_sync(Warp& warp, uint32_t mask) override {
        first_.warp_sync(warp, mask);
        second_.warp_sync(warp, mask);
    }
    uint32_t undefined_value(Exec& x, uint32_t lane, const Misuse& why) override {
        second_.undefined_value(x, lane, why);
        return first_.undefined_value(x, lane, why);
    }
    void warp_rendezvous(Warp& warp, uint32_t mask) override {
        first_.warp_rendezvous(warp, mask);
        second_.warp_rendezvous(warp, mask);
    }
    void at_barrier(Exec& x) override {
        first_.at_barrier(x);
        second_.at_barrier(x);
    }
    void dependency_wait(Warp& warp, uint32_t mask) override {
        first_.dependency_wait(warp, mask);
        second_.dependency_wait(warp, mask);
    }
    bool launches_complete(Warp& warp, uint32_t mask) override {
        return first_.launches_complete(warp, mask) && second_.launches_complete(warp, mask);
    }
    void barrier_arrive(Warp& warp, uint32_t mask, uint32_t id) override {
        first_.barrier_arrive(warp, mask, id);
        second_.barrier_arrive(warp, mask, id);
    }
    void barrier_complete(Block& block, uint32_t id) override {
        first_.barrier_complete(block, id);
        second_.barrier_complete(block, id);
    }
    void barrier_release(Warp& warp, uint32_t mask, uint32_t id) override {
        first_.barrier_release(warp, mask, id);
        second_.barrier_release(warp, mask, id);
    }
    void cluster_arrive(Warp& warp, uint32_t mask, bool release) override {
        first_.cluster_arrive(warp, mask, release);
        second_.cluster_arrive(warp, mask, release);
    }
    void cluster_complete(Block& any) override {
        first_.cluster_complete(any);
        second_.cluster_complete(any);
    }
    void cluster_release(Warp& warp, uint32_t mask, bool acquire) override {
        first_.cluster_release(warp, mask, acquire);
        second_.cluster_release(warp, mask, acquire);
    }
    void copy_issue(Exec& x, const CopyIssue& copy) override {
        first_.copy_issue(x, copy);
        second_.copy_issue(x, copy);
    }
    void copy_commit(Warp& warp, uint32_t mask, uint32_t issued) override {
        first_.copy_commit(warp, mask, issued);
        second_.copy_commit(warp, mask, issued);
    }
    void copy_wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued) override {
        first_.copy_wait(x, mask, done, n, issued);
        second_.copy_wait(x, mask, done, n, issued);
    }
    void mbarrier_init(Exec& x, int lane, Mbarrier& barrier) override {
        first_.mbarrier_init(x, lane, barrier);
        second_.mbarrier_init(x, lane, barrier);
    }
    void mbarrier_use(Exec& x, uint32_t mask, const Mbarrier& barrier) override {
        first_.mbarrier_use(x, mask, barrier);
        second_.mbarrier_use(x, mask, barrier);
    }
    void mbarrier_arrive(Warp& warp, uint32_t mask, Mbarrier& barrier, bool release) override {
        first_.mbarrier_arrive(warp, mask, barrier, release);
        second_.mbarrier_arrive(warp, mask, barrier, release);
    }
    void mbarrier_tracks(Warp& warp, uint32_t mask, const Mbarrier& barrier, uint32_t upto) override {
        first_.mbarrier_tracks(warp, mask, barrier, upto);
        second_.mbarrier_tracks(warp, mask, barrier, upto);
    }
    void mbarrier_copies(Warp& warp, uint32_t mask, Mbarrier& barrier, uint32_t upto) override {
        first_.mbarrier_copies(warp, mask, barrier, upto);
        second_.mbarrier_copies(warp, mask, barrier, upto);
    }
    void mbarrier_complete(Mbarrier& barrier) override {
        first_.mbarrier_complete(barrier);
        second_.mbarrier_complete(barrier);
    }
    void mbarrier_acquire(Warp& warp, uint32_t mask, Mbarrier& barrier, bool acquire) override {
        first_.mbarrier_acquire(warp, mask, barrier, acquire);
        second_.mbarrier_acquire(warp, mask, barrier, acquire);
    }
    void mbarrier_invalidate(Exec& x, int lane, Mbarrier& barrier) override {
        first_.mbarrier_invalidate(x, lane, barrier);
        second_.mbarrier_invalidate(x, lane, barrier);
    }
    std::string mbarrier_history(const Warp& warp, uint32_t mask, const Mbarrier& barrier) override {
        return first_.mbarrier_history(warp, mask, barrier) + second_.mbarrier_history(warp, mask, barrier);
    }
    void bulk_load(Exec& x, const BulkLoad& copy) override {
        first_.bulk_load(x, copy);
        second_.bulk_load(x, copy);
    }
    void bulk_store(Exec& x, const BulkStore& copy) override {
        first_.bulk_store(x, copy);
        second_.bulk_store(x, copy);
    }
    void bulk_remark(uint64_t number, const std::string& remark) override {
        first_.bulk_remark(number, remark);
        second_.bulk_remark(number, remark);
    }
    void bulk_commit(Warp& warp, uint32_t mask, uint32_t issued) override {
        first_.bulk_commit(warp, mask, issued);
        second_.bulk_commit(warp, mask, issued);
    }
    void bulk_wait(Exec& x, uint32_t mask, const Lanes& upto, bool read_only) override {
        first_.bulk_wait(x, mask, upto, read_only);
        second_.bulk_wait(x, mask, upto, read_only);
    }
    void bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected) override {
        first_.bulk_landed(number, phase, bytes, expected);
        second_.bulk_landed(number, phase, bytes, expected);
    }
    bool bulk_known(Warp& warp, uint32_t mask, uint64_t number) override {
        return first_.bulk_known(warp, mask, number) && second_.bulk_known(warp, mask, number);
    }
    void bulk_outlives(Warp& warp, uint64_t number, bool from_peer) override {
        first_.bulk_outlives(warp, number, from_peer);
        second_.bulk_outlives(warp, number, from_peer);
    }
    void memory_gone(Warp& warp, uint32_t mask, uint32_t pc, const Stopped& stopped) override {
        first_.memory_gone(warp, mask, pc, stopped);
        second_.memory_gone(warp, mask, pc, stopped);
    }
    void bulk_source_outlives(uint64_t number) override {
        first_.bulk_source_outlives(number);
        second_.bulk_source_outlives(number);
    }
    void tensor_issue(Exec& x, const TensorIssue& issue) override {
        first_.tensor_issue(x, issue);
        second_.tensor_issue(x, issue);
    }
    void tensor_done(uint64_t number) override {
        first_.tensor_done(number);
        second_.tensor_done(number);
    }
    void tensor_access(Exec& x, const TensorAccess& access) override {
        first_.tensor_access(x, access);
        second_.tensor_access(x, access);
    }
    void tensor_wait(Exec& x, bool stores) override {
        first_.tensor_wait(x, stores);
        second_.tensor_wait(x, stores);
    }
    void tensor_commit(Exec& x, const TensorCommit& commit) override {
        first_.tensor_commit(x, commit);
        second_.tensor_commit(x, commit);
    }
    void tensor_arrive(uint64_t commit, Mbarrier& barrier) override {
        first_.tensor_arrive(commit, barrier);
        second_.tensor_arrive(commit, barrier);
    }
    void tensor_fence(Exec& x, uint32_t mask, bool after) override {
        first_.tensor_fence(x, mask, after);
        second_.tensor_fence(x, mask, after);
    }
    void tensor_allocated(Exec& x, const TensorCells& cells) override {
        first_.tensor_allocated(x, cells);
        second_.tensor_allocated(x, cells);
    }
    void tensor_freed(Exec& x, const TensorCells& cells) override {
        first_.tensor_freed(x, cells);
        second_.tensor_freed(x, cells);
    }
    void tensor_leaked(Block& block, uint32_t column, uint32_t columns) override {
        first_.tensor_leaked(block, column, columns);
        second_.tensor_leaked(block, column, columns);
    }
    void matrix_issue(Exec& x, const MatrixIssue& issue) override {
        first_.matrix_issue(x, issue);
        second_.matrix_issue(x, issue);
    }
    void matrix_wait(Exec& x, const MatrixWait& wait) override {
        first_.matrix_wait(x, wait);
        second_.matrix_wait(x, wait);
    }
    void map_release(Exec& x, uint32_t mask, Scope scope) override {
        first_.map_release(x, mask, scope);
        second_.map_release(x, mask, scope);
    }
    void map_acquire(Exec& x, uint32_t lane, uint64_t address, Scope scope) override {
        first_.map_acquire(x, lane, address, scope);
        second_.map_acquire(x, lane, address, scope);
    }
    void map_copy(Exec& x, Block& source, uint32_t offset, uint64_t address, Scope scope) override {
        first_.map_copy(x, source, offset, address, scope);
        second_.map_copy(x, source, offset, address, scope);
    }
    void map_use(Exec& x, uint32_t lane, uint64_t address, uint64_t copy) override {
        first_.map_use(x, lane, address, copy);
        second_.map_use(x, lane, address, copy);
    }
    void host_write(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const Order& order,
                    OperationId id, std::string_view what) override {
        first_.host_write(allocation, address, bytes, order, id, what);
        second_.host_write(allocation, address, bytes, order, id, what);
    }
    void host_read(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const Order& order, OperationId id,
                   std::string_view what) override {
        first_.host_read(allocation, address, bytes, order, id, what);
        second_.host_read(allocation, address, bytes, order, id, what);
    }
    void host_allocated(memory::Allocation& allocation, const Order& order, OperationId id) override {
        first_.host_allocated(allocation, order, id);
        second_.host_allocated(allocation, order, id);
    }
    void host_free(memory::Allocation& allocation, const Order& order, OperationId id, std::string_view what) override {
        first_.host_free(allocation, order, id, what);
        second_.host_free(allocation, order, id, what);
    }
    void misuse(Warp* warp, uint32_t mask, const Op* op, const Misuse& misuse) override {
        first_.misuse(warp, mask, op, misuse);
        second_.misuse(warp, mask, op, misuse);
    }

  private:
    Listener& first_;
    Listener& second_;
};

} // namespace sim::events
