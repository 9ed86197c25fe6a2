// Two unordered accesses of the same bytes, at least one a write: all facts about the reason. Rules read them; nothing
// here judges.
#pragma once

#include <optional>

#include "sim/diagnosis/barrier_names.h"
#include "sim/diagnosis/intent.h"
#include "sim/diagnosis/state.h"
#include "sim/shadow/access_check.h"

namespace sim::hazards {

/// The parts of a device that its diagnosis uses.
struct Context {
    const Ordering& ordering;
    const Blocks& blocks;
    const Places& places;
    const Intent& intent;
    const BarrierNames& barriers;
    const machine::Grid* const& grid; ///< that runs
};

/// The source's name for these bytes: "tile[1][3]"; empty: not known.
std::string name_of(const Context&, Spot);

/// More threads arrive on an mbarrier than a phase of it counts, and phases completed that no thread had waited for.
struct ArrivalCount {
    uint32_t counted = 0, init_pc = 0;
    ThreadSet threads; ///< that have arrived so far
    std::set<std::pair<uint64_t, uint32_t>> warps;
    std::vector<uint32_t> pcs; ///< and where
};
std::optional<ArrivalCount> too_many_arrive(const events::Mbarrier&, uint64_t first_block);
/// "threads 0-63 of block 0 arrive on it, but mbarrier.init counts 32 arrivals …", without a full stop.
std::string text(const ArrivalCount&);

/// The completion of the phase that a thread has waited for, as long as it is its barrier's last one.
struct CompletedPhase {
    ThreadSet arrived;                         ///< by arrivals of their own
    bool other_blocks = false;                 ///< other blocks than the barrier's were among them
    uint64_t expected = 0, issued = 0;         ///< bytes: announced, and of the bulk copies issued in this phase
    uint32_t announced_pc = 0, arrived_pc = 0; ///< where; 0: at several places, or nowhere
};

/// The other access is a cp.async that writes the bytes.
struct CopyFacts {
    /// How far the program came with completing the copy.
    enum class Stage : uint8_t {
        overtaken,   ///< the access was meant to come first, and is not known to the copy's issuer
        complete,    ///< its issuer has waited for it
        waits_later, ///< its issuer waits, but only after this access
        unwaited,    ///< its issuer has executed no wait for cp.async groups since
        uncommitted, ///< when its issuer waited, it was in no committed group
        pending,     ///< the wait left its group pending
    };
    Stage stage = Stage::pending;
    bool own = false;                  ///< the thread's own copy
    const WarpState* issuer = nullptr; ///< nullptr: its block is gone
    uint32_t lane = 0, index = 0;      ///< of the issuer; the copy's number in its warp
    uint32_t group = 0;                ///< from 1; 0: not committed
    uint32_t groups = 0;               ///< committed by the issuer when it waited (or so far)
    const GroupWait* wait = nullptr;   ///< the issuer's last wait
    const Arrival* tracked = nullptr;  ///< cp.async.mbarrier.arrive after the copy
    const Arrival* arrival =
        nullptr;            ///< an ordinary arrival after the copy, on the mbarrier that the reader waited for
    uint32_t next_wait = 0; ///< own copies: the next wait in the program's text comes after this access
};

/// The other access is a bulk copy, or an asynchronous store.
struct BulkFacts {
    enum class Stage : uint8_t {
        overtaken,         ///< the access was meant to come first, and is not known to the copy's issuer
        read,              ///< its issuer has waited until it had read its source
        uncommitted,       ///< when its issuer waited, it was in no committed bulk group
        pending,           ///< the wait left its bulk group pending
        waited_as_copy,    ///< its issuer waited for cp.async groups only
        waited_by_another, ///< a thread that had no bulk groups has waited for them
        read_only_wait,    ///< its issuer waited for its reads, and the access meets its writes
        complete,          ///< its issuer has waited for it
        in_flight,         ///< this thread knows of no wait for it
    };
    Stage stage = Stage::in_flight;
    const BulkOp* op = nullptr;
    const WarpState* issuer = nullptr; ///< nullptr: its block is gone
    bool own = false;                  ///< the thread's own copy
    uint32_t wait_pc = 0;              ///< the wait that the stage is about
    uint32_t fence_pc = 0;             ///< overtaken: the writer's fence.proxy.async between the two
};

/// The bytes that the reader found belong to a later phase of the mbarrier than the one that it waited for.
struct LaterPhase {
    uint32_t phase = 0;
    uint32_t pc = 0;      ///< the arrival, or the copy, that belongs to that phase
    bool overrun = false; ///< the writer has arrived in each phase up to that one: it came too soon
    bool bulk = false;    ///< by a bulk copy
};

/// How far apart two threads of one launch are: which barriers have both of them take part.
enum class Apart : uint8_t { in_block, in_cluster, in_grid };

/// Bytes were read before another thread wrote them for the first time, although the program means the write to come
/// first.
struct EarlyRead {
    Role writer = Role::store;
    bool waited = false; ///< the reader has executed a wait for cp.async groups
    ptx::Space space = ptx::Space::shared;
    Apart apart = Apart::in_block;
    std::string name = {}; ///< of the bytes; empty: not known
    /// Named barriers that the two threads have passed last, and that have not brought them together.
    struct NamedBarriers {
        WarpHistory::NamedBarrier mine, others; ///< expected 0: none
    };
    std::optional<NamedBarriers> named = {};
    std::string writer_waited = {}; ///< Places::library_call of the writer's last wait for a phase

    bool by_copy() const { return writer == Role::copy_destination || writer == Role::async_write; }
};

/// Bits of machine::effect; 0: unknown.
uint32_t effects_at(const Places&, uint32_t pc);
/// Is the instruction st.async or red.async, which write values of registers?
bool is_store(const Places&, uint32_t pc);

class Conflict : public Unordered {
  public:
    Conflict(const Context& context, const WarpState& warp, uint32_t at, const Unordered& accesses);

    const WarpState& warp; ///< of the access that is made now
    const uint32_t pc;     ///< of that access

    bool writes() const;
    bool reads() const { return !writes(); }
    bool async() const { return role == Role::async_read || role == Role::async_write || role == Role::matrix_read; }
    bool shared() const { return spot.block; }
    /// The source's name for the first of the bytes; empty: not known.
    std::string name() const { return name_of(context_, spot); }
    const char* memory() const { return shared() ? "shared" : "global"; }
    const char* verb() const; ///< what this access did: "read", "wrote", "copied", "copied into"

    /// The bytes have never been written.
    bool undefined() const { return kind_of(other) == EpochKind::none; }
    /// The other access belongs to an older launch, or to the host.
    bool other_operation() const;
    /// It is one of the program itself, which shares the memory with the device.
    bool other_is_host() const;
    /// The operation that made the other access; nullptr: it is not known any more.
    const Operation* operation_of_other() const;
    /// It is ordered before this one but for a copy from pageable memory, which in practice is complete.
    bool staged() const;
    /// Waits for events that would have ordered the two operations.
    std::vector<events::LostWait> lost_waits() const;
    /// It belongs to a launch that this one depends on, and the thread has not waited for that (griddepcontrol.wait).
    bool before_dependency_wait() const;
    /// And a launch between the two has let this one start before it was ordered after the other itself.
    bool passed_on() const;
    const CopyFacts* copy() const { return copy_ ? &*copy_ : nullptr; }
    const BulkFacts* bulk() const { return bulk_ ? &*bulk_ : nullptr; }
    bool reads_of_copy() const { return kind_of(other) == EpochKind::copy && !other_wrote; }
    /// Both are accesses of threads of this launch.
    bool ordinary() const;
    /// An ordinary access was ordered before this one but for the proxy: only a fence is missing.
    bool only_unfenced() const { return async() && ordered_; }

    /// The thread that makes the access now, and the one that made the other: block (of this launch) and number in it.
    using Thread = std::pair<uint64_t, uint32_t>;
    Thread thread() const;
    std::optional<Thread> other_thread() const;                 ///< nullopt: it was none of this launch
    const WarpState* other_warp() const { return other_warp_; } ///< nullptr: its block is gone
    const PhaseWait& phase_wait() const { return warp.history.phase_waits[lane]; }
    Apart apart() const; ///< from the other thread; in_grid if that is none of this launch
    /// The two instructions at which warps of the block have met at its barrier although the program means the first
    /// to come before the second.
    std::optional<std::pair<uint32_t, uint32_t>> crossed_barriers() const;
    /// "the mbarrier full[1]".
    std::string barrier(uint32_t id) const { return context_.barriers.of(id); }
    /// Do threads of this function wait by parity? Else reports do not speak of it.
    bool by_parity() const { return context_.intent.asks_parity(pc); }
    const std::optional<LaterPhase>& later_phase() const { return later_; }
    std::optional<ArrivalCount> too_many_arrive(uint32_t barrier) const;
    /// Where the mbarrier was initialised that the copy's issuer waited for last; 0: there is no copy, or no such wait.
    uint32_t issuer_waited_on() const;
    /// What completed the phase of the thread's last wait.
    std::optional<CompletedPhase> completed_phase() const;
    /// The other thread has fenced its access towards the async proxy, for the space of these bytes.
    bool writer_fenced() const;
    /// It has fenced it, but for the other state space only.
    bool writer_fenced_elsewhere() const;
    /// A release and an acquire would order the other access before this one, but the scope of one of them does not
    /// include the other's thread.
    bool scope_too_narrow() const;
    /// This thread, or one that it has synchronised with, has read by a relaxed access what a fence or a release has
    /// published after the other access.
    bool learned_relaxed() const;
    /// The other thread, or one of its block, has raised a flag after it had written these bytes, and a thread of this
    /// block has seen that.
    struct RaisedFlag {
        uint32_t pc, seen_pc;
        std::string thread; ///< "thread 0 of block 3"
        std::string name;   ///< "flag[2]"
        bool same_block;
        bool unmet;              ///< nothing orders the flag after the write of these bytes by the other thread
        uint32_t block_fence_pc; ///< the fence before it, if that has block scope only; 0: it has not
    };
    std::optional<RaisedFlag> raised_flag() const;
    using NamedBarriers = EarlyRead::NamedBarriers;
    std::optional<NamedBarriers> named_barriers() const;

    /// Does the program mean the instruction at `first` to come before the one at `second`?
    bool meant(uint32_t first, uint32_t second) const;
    /// This access was meant to come first (and the two are not on one line).
    bool meant_first() const { return meant(pc, other_pc) && !same_line(); }
    bool same_line() const;
    /// A copy reads bytes of a thread that was meant to write them only after the copy had read.
    bool write_overtook_copy() const;
    /// In this block, a wait for bulk groups by another thread, which had none; 0: there was none.
    uint32_t idle_wait() const;
    /// A wgmma.mma_async reads the bytes, and another warp of the warpgroup is ordered after the other access.
    bool group_waited() const;
    /// A bulk copy is the first to write the bytes that a wgmma.mma_async has read: that one has not waited for it.
    bool wgmma_read_nothing() const;
    /// The bulk copy that is being issued.
    const BulkOp* newest_copy() const { return context_.ordering.bulk.find(context_.ordering.bulk.next() - 1); }
    /// The other access is a read that was meant to come after this write.
    std::optional<EarlyRead> early_read() const;
    uint32_t kernel_line(uint32_t at) const { return context_.places.kernel_line(at); }

    const Context& context() const { return context_; }

  private:
    CopyFacts copy_facts() const;
    CopyFacts::Stage copy_stage(CopyFacts& facts) const;
    bool issue_known(const CopyFacts& facts) const;
    BulkFacts bulk_facts() const;
    BulkFacts::Stage group_stage(BulkFacts& facts) const;
    std::optional<LaterPhase> find_later_phase() const;
    bool overrun(const WarpState* producer, uint32_t by, uint32_t written_in) const;

    const Context& context_;
    const WarpState* other_warp_ = nullptr;
    bool ordered_ = false;
    std::optional<CopyFacts> copy_;
    std::optional<BulkFacts> bulk_;
    std::optional<LaterPhase> later_;
};

} // namespace sim::hazards
