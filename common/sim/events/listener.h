// The events that the machine and its asynchronous units send to a listener: the hazard detector, a recorder of
// timelines. Calls are per warp instruction, with a lane mask; a machine without a listener makes none. Listeners
// change nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/events/access.h"
#include "sim/events/copies.h"
#include "sim/events/misuse.h"
#include "sim/events/operation.h"
#include "sim/events/tensor.h"

namespace sim::machine {
struct Exec;
struct Op;
struct Schedule;
class Block;
class Grid;
class Warp;
} // namespace sim::machine

namespace sim::events {

using machine::Block;
using machine::Exec;
using machine::Grid;
using machine::Op;
using machine::Warp;

class Listener {
  public:
    virtual ~Listener() = default;

    /// Position in the recording, stored with each finding so that a page can jump to it; 0 if this listener does not
    /// record.
    virtual uint64_t moment() { return 0; }

    /// Does it follow values through registers, too? Then each warp instruction is announced.
    virtual bool follows_values() const { return false; }
    /// An instruction is about to execute for x.mask, which is 0 if its guard holds back all lanes. One that waits is
    /// announced again.
    virtual void instruction(Exec&, const Op&) {}

    // --- launches and blocks ----------------------------------------------------------------------------------------
    virtual void schedule(const machine::Schedule&) {}
    virtual void launch_begin(Grid&, const Order&, OperationId) {}
    virtual void launch_end(Grid&) {}
    /// The grid goes on after another one, or the host, has done something.
    virtual void launch_resume(Grid&) {}
    virtual void block_begin(Block&) {}
    virtual void block_end(Block&) {}
    /// griddepcontrol.wait: the lanes go on when the launches that theirs depends on are complete.
    virtual void dependency_wait(Warp&, uint32_t mask) { (void)mask; }
    /// Has each of these lanes waited for them, or is it ordered after a thread that has?
    virtual bool launches_complete(Warp&, uint32_t mask) {
        (void)mask;
        return true;
    }

    // --- accesses and fences ----------------------------------------------------------------------------------------
    /// Loads whose value must be followed (Pending) go to `reports`.
    virtual void access(Exec&, const Access&, Reports& reports) { (void)reports; }
    /// The value of a load that access() gave this number was used.
    virtual void used(uint32_t report) { (void)report; }
    virtual void fence(Exec&, Semantics, Scope, uint32_t mask) { (void)mask; }
    /// fence.proxy.async for these state spaces.
    virtual void proxy_fence(Exec&, uint32_t mask, bool shared, bool global) { (void)mask, (void)shared, (void)global; }

    // --- warps, block barriers, cluster barriers
    // ----------------------------------------------------------------------
    /// bar.warp.sync and other convergence that orders: lanes `mask` of the warp are ordered mutually.
    virtual void warp_sync(Warp&, uint32_t mask) { (void)mask; }
    /// shfl, vote, match …: does not order, but covers `mask` (a race bridged only by it is a note).
    virtual void warp_rendezvous(Warp&, uint32_t mask) { (void)mask; }
    /// An instruction leaves a lane an undefined value. Returns the number by which the machine reports a use of it.
    virtual uint32_t undefined_value(Exec&, uint32_t lane, const Misuse&) {
        (void)lane;
        return 0;
    }
    /// The warp comes to a barrier. Further events of that barrier have no Exec.
    virtual void at_barrier(Exec&) {}
    /// Block barrier `id`: lanes arrive; when it completes, each waiting fragment is released.
    virtual void barrier_arrive(Warp&, uint32_t mask, uint32_t id) { (void)mask, (void)id; }
    virtual void barrier_complete(Block&, uint32_t id) { (void)id; }
    virtual void barrier_release(Warp&, uint32_t mask, uint32_t id) { (void)mask, (void)id; }
    /// The same for cluster barriers.
    virtual void cluster_arrive(Warp&, uint32_t mask, bool release) { (void)mask, (void)release; }
    virtual void cluster_complete(Block& any) { (void)any; }
    virtual void cluster_release(Warp&, uint32_t mask, bool acquire) { (void)mask, (void)acquire; }

    // --- cp.async
    // -----------------------------------------------------------------------------------------------------
    virtual void copy_issue(Exec&, const CopyIssue&) {}
    /// `issued`: copies of the warp so far.
    virtual void copy_commit(Warp&, uint32_t mask, uint32_t issued) { (void)mask, (void)issued; }
    /// Lanes `mask` have waited; their copies up to done[lane] are complete. `n`: the wait's N.
    virtual void copy_wait(Exec&, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued) {
        (void)mask, (void)done, (void)n, (void)issued;
    }

    // --- mbarriers
    // ----------------------------------------------------------------------------------------------------
    virtual void mbarrier_init(Exec&, int lane, Mbarrier&) { (void)lane; }
    /// Any other use of an mbarrier.
    virtual void mbarrier_use(Exec&, uint32_t mask, const Mbarrier&) { (void)mask; }
    virtual void mbarrier_arrive(Warp&, uint32_t mask, Mbarrier&, bool release) { (void)mask, (void)release; }
    /// cp.async.mbarrier.arrive: an arrival will follow when the copies of those lanes up to `upto` are complete.
    virtual void mbarrier_tracks(Warp&, uint32_t mask, const Mbarrier&, uint32_t upto) { (void)mask, (void)upto; }
    /// That arrival.
    virtual void mbarrier_copies(Warp&, uint32_t mask, Mbarrier&, uint32_t upto) { (void)mask, (void)upto; }
    /// A phase is complete; Mbarrier::phase counts it already.
    virtual void mbarrier_complete(Mbarrier&) {}
    /// A successful wait for the phase before the current one.
    virtual void mbarrier_acquire(Warp&, uint32_t mask, Mbarrier&, bool acquire) { (void)mask, (void)acquire; }
    virtual void mbarrier_invalidate(Exec&, int lane, Mbarrier&) { (void)lane; }
    /// For the report of a deadlock: which threads have arrived in this phase, and which phases completed without a
    /// wait.
    virtual std::string mbarrier_history(const Warp&, uint32_t mask, const Mbarrier&) {
        (void)mask;
        return {};
    }

    // --- bulk copies
    // --------------------------------------------------------------------------------------------------
    virtual void bulk_load(Exec&, const BulkLoad&) {}
    virtual void bulk_store(Exec&, const BulkStore&) {}
    /// A peculiarity of a copy's tensor map, for findings about the copy.
    virtual void bulk_remark(uint64_t number, const std::string& remark) { (void)number, (void)remark; }
    virtual void bulk_commit(Warp&, uint32_t mask, uint32_t issued) { (void)mask, (void)issued; }
    /// Lanes have waited: their bulk stores up to upto[lane] are read (`read_only`) or complete.
    virtual void bulk_wait(Exec&, uint32_t mask, const Lanes& upto, bool read_only) {
        (void)mask, (void)upto, (void)read_only;
    }
    /// A load's bytes arrive. `expected`: bytes that the phase still expected by then.
    virtual void bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected) {
        (void)number, (void)phase, (void)bytes, (void)expected;
    }
    /// Is one of these lanes ordered after the completion of this copy?
    virtual bool bulk_known(Warp&, uint32_t mask, uint64_t number) {
        (void)mask, (void)number;
        return true;
    }
    /// Memory has been freed under a copy that this lane issued at `pc`.
    virtual void memory_gone(Warp&, uint32_t mask, uint32_t pc, const Stopped&) { (void)mask, (void)pc; }
    /// The last threads of a block end while this copy into its shared memory is in flight.
    virtual void bulk_outlives(Warp&, uint64_t number, bool from_peer) { (void)number, (void)from_peer; }
    /// A block ends whose shared memory this copy reads, and no thread of it has observed that the read is complete.
    virtual void bulk_source_outlives(uint64_t number) { (void)number; }

    // --- wgmma
    virtual void matrix_issue(Exec&, const MatrixIssue&) {}
    virtual void matrix_wait(Exec&, const MatrixWait&) {}

    // --- tcgen05
    // ------------------------------------------------------------------------------------------------------
    virtual void tensor_issue(Exec&, const TensorIssue&) {}
    /// An operation is complete: its operands have been read, its results are in Tensor Memory.
    virtual void tensor_done(uint64_t number) { (void)number; }
    virtual void tensor_access(Exec&, const TensorAccess&) {}
    /// tcgen05.wait::ld or ::st: the warp's loads, or stores, so far are complete.
    virtual void tensor_wait(Exec&, bool stores) { (void)stores; }
    virtual void tensor_commit(Exec&, const TensorCommit&) {}
    /// An arrival of the commit of this number.
    virtual void tensor_arrive(uint64_t commit, Mbarrier&) { (void)commit; }
    /// tcgen05.fence::before_thread_sync or ::after_thread_sync.
    virtual void tensor_fence(Exec&, uint32_t mask, bool after) { (void)mask, (void)after; }
    virtual void tensor_allocated(Exec&, const TensorCells&) {}
    virtual void tensor_freed(Exec&, const TensorCells&) {}
    /// A block has ended without freeing these columns.
    virtual void tensor_leaked(Block&, uint32_t column, uint32_t columns) { (void)column, (void)columns; }

    // --- tensor maps
    // --------------------------------------------------------------------------------------------------
    /// fence.proxy.tensormap::generic.release: what these lanes are ordered after may be acquired as a tensor map.
    virtual void map_release(Exec&, uint32_t mask, Scope) { (void)mask; }
    virtual void map_acquire(Exec&, uint32_t lane, uint64_t address, Scope) { (void)lane, (void)address; }
    /// tensormap.cp_fenceproxy by the executing warp: 128 bytes of `source`'s shared memory to `address`, then the
    /// release.
    virtual void map_copy(Exec&, Block& source, uint32_t offset, uint64_t address, Scope) {
        (void)source, (void)offset, (void)address;
    }
    /// The map at `address` is read through the tensormap proxy: by the bulk copy that will be issued with the number
    /// `copy`, or (0) by a prefetch.
    virtual void map_use(Exec&, uint32_t lane, uint64_t address, uint64_t copy) {
        (void)lane, (void)address, (void)copy;
    }

    // --- host operations
    // ----------------------------------------------------------------------------------------------
    virtual void host_write(memory::Allocation&, uint64_t address, uint64_t bytes, const Order&, OperationId,
                            std::string_view what) {
        (void)address, (void)bytes, (void)what;
    }
    virtual void host_read(memory::Allocation&, uint64_t address, uint64_t bytes, const Order&, OperationId,
                           std::string_view what) {
        (void)address, (void)bytes, (void)what;
    }

    /// Memory begins, or ceases, to exist in stream order.
    virtual void host_allocated(memory::Allocation&, const Order&, OperationId) {}
    virtual void host_free(memory::Allocation&, const Order&, OperationId, std::string_view what) { (void)what; }

    /// Threads `mask` of `warp` (nullptr: no particular warp) did something wrong at `op`.
    virtual void misuse(Warp* warp, uint32_t mask, const Op* op, const Misuse&) { (void)warp, (void)mask, (void)op; }
};

} // namespace sim::events
