// The input of a rule: one thing that was found, of whatever kind. A rule checks whether it handles that kind: `if
// (const auto* conflict = facts.as<Conflict>())`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/diagnosis/conflict.h"
#include "sim/diagnosis/severity.h"
#include "sim/events/host_misuse.h"
#include "sim/events/misuse.h"
#include "sim/shadow/tensor_shadow.h"

namespace sim::hazards {

// Beside Conflict, EarlyRead and the alternatives of events::Misuse:

/// Bytes were read after a wait for the phase that should have delivered them, and were not written until the block
/// ended.
struct NeverWritten {};

/// An mbarrier is used by a thread that is not ordered after its initialisation.
struct BarrierInitRace {
    bool other_block; ///< the thread belongs to another one than the mbarrier
};
/// An mbarrier is invalidated, and a use of it is not ordered before that.
struct BarrierEndsInUse {
    bool other_block; ///< so does the use
};
/// Data is written to the memory of an mbarrier that was not invalidated.
struct BarrierMemoryReused {
    enum class Why : uint8_t {
        unused_since,    ///< and no thread has used the mbarrier afterwards
        used_since,      ///< the second place: a use after that
        use_unordered,   ///< a use that nothing orders before it
        copy_unfinished, ///< a copy that completes on the mbarrier, and nothing orders that before it
    };
    Why why;
    bool by_copy; ///< or by a store
};
/// cp.async.mbarrier.arrive counts its arrival in, and nothing orders that before the phase completes.
struct CountedTooLate {
    std::string name; ///< of the mbarrier: "the mbarrier full[1]"
};
/// A thread arrives for the second time in one phase.
struct ArrivedTwice {
    events::ArrivalTooMany arrival;
    uint32_t phase;
    PhaseWait wait;        ///< the thread's last one
    std::string awaited;   ///< its mbarrier
    std::string call{};    ///< Places::library_call of the arrival
    bool by_parity = true; ///< Intent::asks_parity
};
/// A copy was issued after a wait for a phase that was over before all of those had arrived that release the buffer.
struct ReleasedTooSoon {
    ArrivalCount count;
    std::string name; ///< "the mbarrier empty[1]"
};
/// An arrival on a phase, although no thread has waited for the phase before.
struct PhaseUnwaited {
    uint32_t phase;   ///< of the arrival
    std::string call; ///< Places::library_call of it
};

/// The shared memory that a bulk copy reads or writes may belong to another block before the copy has done so.
struct CopyOutlivesBlock {
    enum class What : uint8_t { source_of_load, source_of_store, destination, destination_in_peer };
    What what;
    uint64_t ended = 0;         ///< destination_in_peer: the block that ended
    bool from_register = false; ///< st.async, red.async
    /// source_of_store: how its thread has waited.
    enum class Wait : uint8_t { none, uncommitted, left_pending };
    Wait wait = Wait::none;
    uint32_t wait_pc = 0;
};

/// Another block of the cluster accessed a block's shared memory, and the block did not wait for that before it ended.
struct PeerOutlived {
    PeerAccesses::What what;
    bool relaxed; ///< it waited at a cluster barrier, but the accessing thread's arrival there was relaxed
};
/// A warp arrives at a named barrier a second time before the barrier is complete.
struct ArrivedAgain {
    uint32_t id, expected;
    bool waits; ///< the second time, with bar.sync
};
/// No thread can make progress: producers wait for the first phase of a barrier, and the threads that arrive on it wait
/// for data that the producers have yet to copy.
struct ProducerWaitsFirst {
    std::string what;             ///< events::Stopped::what
    std::string barrier, awaited; ///< the producers' barrier, and the one of those who would have to arrive on it
    uint32_t pc = 0, init_pc = 0, consumer_pc = 0; ///< the wait, mbarrier.init, and where those others wait
    ThreadSet producers, consumers;
    std::string call{};          ///< Places::library_call of the wait
    bool arrived_itself = false; ///< the producers have arrived on their barrier themselves
    bool by_parity = true;       ///< Intent::asks_parity
};
/// A tcgen05.commit of a pair arrives on an mbarrier in some blocks of the cluster, but not in the one whose threads
/// wait for the mbarrier of the same place.
struct CommitBeside {
    uint32_t pc = 0;    ///< 0: there is none
    uint32_t ranks = 0; ///< blocks of the cluster where it arrives
    uint32_t rank = 0;  ///< that waits
};
/// No thread can make progress, and no running thread could complete the phase of an mbarrier that threads wait for.
struct StuckPhase {
    enum class Why : uint8_t {
        arrivals,   ///< fewer have arrived than mbarrier.init counts
        bytes,      ///< all have arrived, and the copies deliver other bytes than were announced
        no_arrival, ///< copies complete on it, or bytes were announced, and no thread has arrived
    };
    Why why;
    std::string barrier; ///< "the mbarrier full[1]"
    uint32_t count, init_pc;
    ThreadSet arrived;
    std::vector<uint32_t> pcs{}; ///< where they arrived; bytes: only those that announced
    std::string what{};          ///< events::Stopped::what
    uint32_t pc = 0;             ///< the wait
    ThreadSet waiting{};
    uint64_t announced = 0; ///< bytes
    int64_t missing = 0;    ///< of them
    bool multicast = false; ///< the other blocks of the cluster copy, too
    std::string call{};     ///< Places::library_call of the wait
    CommitBeside commit{};
};
/// No thread can make progress: phases of an mbarrier are over that no thread has waited for, and threads wait for the
/// next one.
struct PhasesOverrun {
    std::string what;    ///< events::Stopped::what
    std::string barrier; ///< "the mbarrier empty[1]"
    uint32_t pc = 0, init_pc = 0, count = 0;
    uint32_t first = 0, last = 0; ///< those phases
    uint64_t made = 0;            ///< arrivals so far
    ThreadSet waiting, arrived;
    std::vector<uint32_t> pcs{}; ///< where they arrived
    std::string call{};          ///< Places::library_call of the wait
};
/// No thread can make progress: an mbarrier lacks exactly the arrivals of threads that wait at the same place as those
/// that have arrived.
struct SkippedArrival {
    std::string what;                               ///< events::Stopped::what
    std::string barrier, awaited;                   ///< "the mbarrier empty[1]"; the one that both wait for now
    uint32_t pc = 0, arrive_pc = 0, skipped_pc = 0; ///< the wait; where the others arrived; where both wait now
    uint32_t missing = 0, count = 0, phase = 0;
    ThreadSet waiting, arrived, skipped;
    std::string call{}; ///< Places::library_call of the wait
};
/// No thread can make progress: threads wait for something that no other thread can do any more.
struct HopelessWait {
    enum class For : uint8_t { arrivals, block_barrier };
    For what_for = For::arrivals;
    std::string what;         ///< events::Stopped::what
    std::string barrier;      ///< "the mbarrier empty[1]"; of a block barrier, empty
    uint32_t id = 0;          ///< of the block barrier
    bool whole_block = false; ///< it has no explicit count, as __syncthreads()
    uint32_t pc = 0;          ///< the wait
    uint32_t init_pc = 0;     ///< of the mbarrier
    uint32_t missing = 0, count = 0, exited = 0;
    ThreadSet waiting;
    ThreadSet arrived;           ///< on the mbarrier, in any phase
    std::vector<uint32_t> pcs{}; ///< where they arrived
    ThreadSet elsewhere;         ///< that the block barrier lacks, and that wait somewhere else
    uint32_t elsewhere_pc = 0;   ///< where the first of these wait
    std::string call{};          ///< Places::library_call of the wait
    CommitBeside commit{};       ///< of the mbarrier
};
/// More threads come to a named barrier than it counts.
struct NamedCountTooSmall {
    uint32_t id, count, threads, pc;
    ThreadSet users;
};
/// A block ended while threads had arrived at a named barrier that lacked others.
struct LeftoverArrivals {
    uint32_t id, arrived, expected;
};

/// What goes wrong in another order of the warps than that of the run (protocol/).
struct OrderFault {
    enum class What : uint8_t {
        deadlock,
        registers,  ///< a deadlock, because a warp waits for registers
        overflow,   ///< more arrivals than the phase has
        missed,     ///< a phase is over before the wait for it, and so is the next one
        early,      ///< a wait returns for an older phase
        incomplete, ///< a phase is complete before its bytes are announced
        leftover,   ///< arrivals at a named barrier at the end of the block
    };
    What what;
    std::string barrier;         ///< "the mbarrier full[1]"
    uint32_t meant = 0, now = 0; ///< phases complete: those that the wait needs, and those that are complete
    std::string order;           ///< the operations that lead to it, a line for each
    std::string waiting;         ///< deadlock: where each warp waits, a line for each
};

/// A load reads a write of a thread in another block, and only an arrival of block scope orders the two.
struct NarrowArrival {
    bool shared;
    uint32_t arrive_pc, wait_pc;
};

/// A tensor map in global memory is used that the device, or (host) only the host, has written.
struct MapUnready {
    enum class Why : uint8_t {
        not_released,
        release_too_narrow, ///< of block scope, and used in another block
        not_acquired,
        acquired_elsewhere,
        acquire_too_narrow,
        host,                ///< and no block has acquired it
        host_beyond_acquire, ///< the acquire does not include the host
    };
    Why why;
};

/// Two accesses to the same cells of Tensor Memory, and nothing orders them.
struct TensorConflict {
    enum class Why : uint8_t {
        not_waited,          ///< the other one, a load or a store, may not be complete: its warp has not waited for it
        uncommitted,         ///< no commit of its thread has come after the other operation
        committed_elsewhere, ///< but another thread has executed one
        unawaited,           ///< nothing orders this access after the phase on which its commit arrives
        relaxed,             ///< it is ordered by relaxed operations only, and a tcgen05.fence is missing
        overlap,             ///< two operations of one thread, which are no pipeline
        unordered,
    };
    Why why = Why::unordered;
    TensorUse now{}, other{};
    bool frees = false;            ///< this access is tcgen05.dealloc
    uint32_t lane = 0, column = 0; ///< of the first cell
    uint32_t commit_pc = 0;        ///< unawaited: its commit; committed_elsewhere: that one
    /// unawaited: "the mbarrier done"; committed_elsewhere: the one that was waited for, if any
    std::string barrier{};
    bool meant_first = false; ///< unordered: this access was meant to come before the other one
    uint32_t unused = 0;      ///< not_waited, a load: Intent::unused_before_release
};
/// A tcgen05.mma reads a matrix in Tensor Memory, and nothing has written any of its cells.
struct TensorUnwritten {
    char operand; ///< D: it is added to; S, s: the scale factors of A, B
    uint32_t lane, column;
};
/// A tcgen05.mma reads shared memory in another arrangement than the tensor copy that wrote it.
struct TensorArranged {
    char operand;             ///< 'A' or 'B'
    uint32_t descriptor, map; ///< swizzle spans in bytes; 0: none
};
/// A block has ended without freeing columns of Tensor Memory.
struct TensorLeaked {
    uint32_t column, columns;
};
/// tcgen05.alloc.cta_group::2, and nothing says that the other block of the pair has started.
struct TensorPairUnseen {
    uint64_t peer; ///< that block
};

/// A host operation and work that nothing orders with it use the same device memory.
struct HostConflict {
    std::string what; ///< "cudaMemcpyAsync"
    bool writes = false;
    bool other_wrote = true;
    std::string other{};  ///< the other work: "kernel stage"; empty: unknown
    bool frees = false;   ///< it frees the memory
    bool by_host = false; ///< it is the host itself
    bool signals = false; ///< of a kernel: the host may have been signalled by it
    events::CallSite launched_at = 0;
    bool staged = false; ///< one of the two is a copy from pageable memory, which in practice is complete
    std::vector<events::LostWait> lost_waits{};
};
/// Memory is used that does not exist in the order of the streams.
struct OutsideLifetime {
    enum class When : uint8_t {
        before,      ///< nothing orders the use after the allocation
        around_free, ///< nor the free after the use
        after_free,
    };
    When when;
    std::string by; ///< "kernel fill", "cudaMemcpyAsync"
    std::string freed_by;
};
/// A copy to the host reads bytes that nothing has written.
struct UnwrittenDownload {
    std::string what;
    uint64_t first, end, bytes; ///< the unwritten ones from the first on, of so many
};
/// A misuse of host memory that the program's own side saw.
struct HostMisuse {
    using Kind = events::HostMisuse;
    Kind kind;
    std::string message;
};

/// Waits that came at once after the copies they wait for.
struct NoOverlap {
    uint32_t at_once, waits;
};
/// An asynchronous copy function that became loads and stores.
struct SynchronousCopy {
    uint32_t bytes; ///< at a time
};

class Facts {
  public:
    template <class T>
    Facts(const T& fact) : kind_(&kind_of_fact<T>), fact_(&fact) {} // NOLINT: any fact is Facts
    Facts(const events::Misuse& misuse)                             // NOLINT
        : Facts(std::visit([](const auto& one) { return Facts(one); }, misuse)) {}

    /// nullptr: it is something else.
    template <class T>
    const T* as() const {
        return kind_ == &kind_of_fact<T> ? static_cast<const T*>(fact_) : nullptr;
    }
    /// A thread or a launch that was stopped for this reason; nullptr: something else.
    const events::Stopped* stopped(events::Stopped::Why why) const {
        const auto* stop = as<events::Stopped>();
        return stop && stop->why == why ? stop : nullptr;
    }

  private:
    template <class T>
    static constexpr char kind_of_fact = 0;
    const void* kind_;
    const void* fact_;
};

/// A rule's text about the facts that it names.
struct Explanation {
    std::string action = {};       ///< what the threads at the first place did; completes "threads 0-31 of block 0 …"
    std::string other_action = {}; ///< the same for the other access, if there is one
    std::string message = {};      ///< why it is wrong here, with the numbers; one or two sentences
    std::string remedy = {};       ///< what would fix it; empty: the rule's own remedy
    std::vector<std::pair<uint32_t, std::string>> also = {}; ///< further instructions (pc) with their descriptions
    std::vector<std::pair<events::CallSite, std::string>> also_calls = {}; ///< calls of the program
    std::pair<uint32_t, std::string> cause = {}; ///< an instruction to show before the accesses; pc 0: none
    bool cause_is_wait = false;    ///< the cause is a wait, and it explains nothing if the bytes are never written
    bool returned_at_once = false; ///< the cause is a wait that did not wait, so it is wrong even if nothing is used
    bool reversed = false;         ///< the other access is the one that went wrong
    Severity severity = Severity::error; ///< milder than the rule's, where these facts are less bad
};

} // namespace sim::hazards
