// Streams and events: which operation is ordered after which, and when each one runs.
//
// An operation runs as late as the host lets it: when something waits for it. A kernel that has begun may have to wait
// for the effect of another operation. Then operations that nothing orders after it run beside it. Order is tracked by
// vector clocks, one component per stream, so that every operation knows exactly which earlier ones it is not ordered
// after. Source: CUDA C++ Programming Guide, "Asynchronous Concurrent Execution"; CUDA Runtime API, "Stream
// synchronization behavior".
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "sim/cuda/wire/command.h"
#include "sim/machine/gpu.h"

namespace sim::cuda {

/// For each stream, how many of its operations are known to be complete.
class Clock {
  public:
    void join(const Clock& other);
    void set(uint64_t stream, uint64_t position);
    bool covers(uint64_t stream, uint64_t position) const;
    size_t size() const { return seen_.size(); }
    /// The same before the last operation of a stream, which is its `position`th.
    Clock before(uint64_t stream, uint64_t position) const;
    template <typename Predicate>
    void forget_if(Predicate predicate) {
        std::erase_if(seen_, [&](const auto& entry) { return predicate(entry.first); });
    }

  private:
    std::map<uint64_t, uint64_t> seen_;
};

/// The unit of the device that an operation keeps busy, for the modelled time.
enum class Engine : uint8_t { none, host_to_device, device_to_host, compute };

/// A kernel launch, as programmatic dependent launch sees it. In a graph, its dependents are those with an edge that
/// says so.
struct DependentLaunch {
    bool early = false;     ///< may start when the launch before it in the stream has triggered it
    bool triggered = false; ///< a block has let dependent launches start, and was perhaps not complete then
    /// One block at least has let them start only when all that the launch depends on was complete. They start when
    /// every block has let them, so they are ordered after that, too.
    bool triggered_after_wait = false;
    struct Member {
        machine::OperationId id;
        uint64_t stream, position;
    };
    std::vector<Member> members{};  ///< its own operations
    std::vector<Member> unwaited{}; ///< operations that it is ordered after only when it has waited
};

struct Operation {
    using Ptr = std::shared_ptr<Operation>;
    /// Does the work and returns how long it takes on the modelled device, in nanoseconds. Nothing: it has begun, and
    /// goes on in Streams::Advance.
    using Work = std::function<std::optional<uint64_t>(const machine::Order&)>;

    uint64_t ticket = 0; ///< in the order of issue
    uint64_t stream = 0, position = 0;
    Clock after; ///< all that it is ordered after, and itself
    /// The same without copies from pageable memory that need not be complete when the call returns, if there may be
    /// any; see Streams::host_joins_staged.
    Clock without_staged;
    const Clock& strictly_after() const { return without_staged.size() ? without_staged : after; }
    machine::CallSite site = 0; ///< the program's call
    std::vector<Ptr> dependencies;
    Work work; ///< empty: a marker
    Engine engine = Engine::none;
    uint64_t host_call = 0; ///< token of a function that the program has to call, or 0
    bool calling = false;   ///< the program has been asked to call it
    bool begun = false;     ///< it runs; see Streams::Advance
    bool done = false;
    std::shared_ptr<DependentLaunch> launch; ///< nullptr: no kernel launch
    std::shared_ptr<DependentLaunch> behind; ///< of a marker: the launch directly before it in its stream
    struct Primary {
        std::shared_ptr<DependentLaunch> launch;
        Port port; ///< from when on this one may start
    };
    std::vector<Primary> primaries;    ///< launches that need not be complete when this one starts
    Clock complete;                    ///< what is complete nevertheless, if there are such launches
    uint64_t issued = 0, duration = 0; ///< modelled, ns
    std::optional<uint64_t> finished;  ///< modelled, ns; computed on demand
};

/// What became of the operations that have begun.
struct Progress {
    machine::Pause pause;
    machine::OperationId ended = 0; ///< Pause::ended
    uint64_t duration = 0;          ///< of that one, modelled, ns
};

class Streams {
  public:
    /// Lets the started launches run. `give_up`: no other operation can help them; end them.
    using Advance = std::function<Progress(bool give_up)>;
    /// `next_id` gives the id that the device's next operation will get.
    Streams(machine::Schedule schedule, std::function<machine::OperationId()> next_id, Advance advance = {});

    void add_stream(uint64_t stream, bool nonblocking);
    bool has_stream(uint64_t stream) const { return streams_.contains(stream); }
    void remove_stream(uint64_t stream); ///< its pending work still runs

    struct Issue {
        Operation::Work work;
        Engine engine = Engine::none;
        uint64_t host_call = 0;
        Operation::Ptr also_after; ///< an event's operation, for cudaStreamWaitEvent
        std::shared_ptr<DependentLaunch> launch{};
    };
    Operation::Ptr issue(uint64_t stream, Issue what);
    /// The next launch in `stream` is ordered after `marker`, but may start before the launch in front of that is
    /// complete.
    void next_starts_early(uint64_t stream, Operation::Ptr marker, Port port);
    /// The last operation of a stream, nullptr if there is none.
    Operation::Ptr last(uint64_t stream) const;

    /// An operation that is not done among the last ones of all blocking streams; else the last one of the default
    /// stream.
    Operation::Ptr last_blocking() const;

    enum class Host : uint8_t {
        waits, ///< and does nothing else: what cannot go on without it never will
        goes_on
    };
    /// Runs `target` and all that it depends on. Returns false if a host call has to be made first (see `host_call`),
    /// or, if the host goes on, when nothing more can be done without it.
    bool run(const Operation::Ptr& target, Host host = Host::waits);
    bool run_all(Host host = Host::waits);
    /// The host may have written what kernels poll: those that were waiting for it look again.
    void host_may_have_written() { stalled_ = false; }
    /// Runs one operation that `target` needs (all: any). False if a host call is in the way.
    bool step(const Operation::Ptr& target);
    /// Random schedule: runs a few operations that are ready.
    void drift();
    /// The host call that stopped run(), run_all() or step(): its token, and whether the program is already making it.
    Operation::Ptr host_call() const { return blocked_on_; }
    void host_call_done(uint64_t token);

    /// The host is now ordered after `operation` (after everything that was issued, without one).
    void host_joins(const Operation::Ptr& operation);
    void host_joins_all();
    void host_joins_blocking(); ///< after everything in the default stream and in blocking streams
    /// The host has called a copy from pageable memory, which has been staged: what comes before it is complete, the
    /// copy itself is so in practice alone.
    void host_joins_staged(const Operation::Ptr& operation);
    bool host_is_after(const Operation& operation) const;

    /// The host accesses memory that it shares with the device, `during` a function that a stream calls (or nullptr).
    /// What the access is ordered after; to be followed by host_has_accessed() with the operation's id.
    machine::Order host_access(machine::CallSite site, const Operation::Ptr& during);
    void host_has_accessed(machine::OperationId id, const Operation::Ptr& during);
    /// The call that issues the operations to come.
    void called_from(machine::CallSite site) { site_ = site; }
    machine::CallSite site() const { return site_; }
    /// Is everything that can still run ordered after it, as far as it has been issued?
    bool all_after(uint64_t stream, uint64_t position) const;
    bool all_after(machine::OperationId id) const; ///< the same for an executed operation
    /// The waiting operation would have been ordered after what precedes `record`, had the event been recorded
    /// otherwise. `record`: nullptr if it never has been.
    struct LostWait {
        machine::LostWait::Why why;
        Operation::Ptr wait, record;
        machine::CallSite again = 0;
    };
    void lose(LostWait lost);
    /// Are there operations that have not run?
    bool idle() const { return pending_.empty(); }

    uint64_t finish_time(Operation& operation); ///< modelled, ns; the operation must be done
    void host_spends(uint64_t nanoseconds) { host_time_ += nanoseconds; }

    /// Most operations that may wait at once; beyond it the oldest one runs, as a full queue on the device would make
    /// it.
    static constexpr size_t max_pending = 1024;

  private:
    struct Stream {
        bool nonblocking = false;
        uint64_t position = 0;
        Operation::Ptr last;
        std::vector<std::pair<Operation::Ptr, Port>> early = {}; ///< next_starts_early
    };
    struct Executed {
        machine::OperationId id;
        uint64_t position;        ///< grows along the vector
        Operation::Ptr operation; ///< nullptr: an access of the host
    };
    static constexpr uint64_t host_stream = 0; ///< the host's own accesses
    machine::Order order_after(const Clock& after, const Clock& strictly_after) const;
    void find_lost_waits(const Operation& operation, machine::Order& order) const;
    bool is_staged_late(const Operation& copy) const;
    void execute(Operation& operation);
    void ended(Operation& operation);
    machine::Order order_of(const Operation& operation) const;
    void find_unwaited(const Operation& operation, machine::Order& order) const;
    enum class Outcome : uint8_t { done, host_call, stalled };
    /// Runs an operation that has begun to its end.
    Outcome finish(const Operation::Ptr& operation, Host host);
    machine::Pause advance(bool give_up);
    /// Begins one more operation beside those that run. False: there is none.
    bool let_in(bool kernels_only);
    bool host_call_due(); ///< if one is, sets blocked_on_
    std::vector<Operation::Ptr> candidates() const;
    bool ready(const Operation& operation) const;
    bool ordered_for_all(uint64_t stream, uint64_t position) const;
    void forget_ordered();
    void forget_streams(); ///< that have been destroyed and whose work everything is ordered after
    void assign_times();

    machine::Schedule schedule_;
    std::function<machine::OperationId()> next_id_;
    Advance advance_;
    std::map<machine::OperationId, Operation::Ptr> running_; ///< that have begun
    bool stalled_ = false;                                   ///< they cannot go on without the host
    uint32_t asked_in_vain_ = 0;                             ///< times that the host has asked for them since
    std::mt19937_64 random_;
    std::map<uint64_t, Stream> streams_;
    std::map<uint64_t, Operation::Ptr> pending_; ///< by ticket
    std::deque<Operation::Ptr> untimed_;
    std::map<uint64_t, std::vector<Executed>> executed_; ///< by stream: those that others may be unordered with
    Operation::Ptr blocked_on_;
    Operation::Ptr last_legacy_;
    std::vector<Operation::Ptr> orphans_; ///< last operations of destroyed blocking streams
    Clock host_, strict_host_;            ///< the second: while any_staged_
    bool any_staged_ = false;
    uint64_t host_accesses_ = 0;
    std::vector<LostWait> lost_;
    machine::CallSite site_ = 0;
    uint64_t next_ticket_ = 1;
    uint64_t host_time_ = 0;
    uint64_t engine_free_[4] = {};
};

} // namespace sim::cuda
