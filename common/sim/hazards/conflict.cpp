// The slow path: two accesses are not ordered. Which rule names it, and what to say.
#include <algorithm>

#include <fmt/format.h>

#include "sim/hazards/detector.h"

namespace sim::hazards {
namespace {

constexpr uint32_t dynamic_limit = 256; // findings held per pair of instructions and launch

} // namespace

/// Everything a rule may want to know about one conflict.
struct Conflict {
    Detector& detector;
    Exec& x;
    WarpState& ws;
    uint32_t lane;
    Detector::Role role;
    Epoch other;
    uint32_t other_pc;
    bool other_wrote;
    ptx::Space space;
    Finding finding{};

    bool writes() const {
        using R = Detector::Role;
        return role == R::store || role == R::copy_destination || role == R::async_write || role == R::atomic;
    }
    const char* memory() const { return space == ptx::Space::shared ? "shared" : "global"; }
    void name(const char* rule, std::string first_action, std::string other_action, std::string message,
              std::string remedy = {}) {
        finding.rule = find_rule(rule);
        finding.first = detector.place(x.pc(), std::move(first_action));
        finding.first.threads.add(x.block.linear, x.warp.id * 32, 1u << lane);
        if (other || other_pc)
            finding.others.push_back(detector.place(other, other_pc, std::move(other_action)));
        finding.message = std::move(message);
        finding.remedy = std::move(remedy);
    }
    const WarpState* issuer() const {
        auto it = detector.blocks_.find(block_of(other));
        return it == detector.blocks_.end() ? nullptr : it->second->warps[warp_of(other)].get();
    }
    /// The group (from 1) that a copy of `thread` with this index belongs to; 0: not committed. Counts all groups, too.
    static uint32_t group_of(const WarpState& thread, uint32_t of_lane, uint32_t index, uint32_t& groups) {
        uint32_t group = 0;
        groups = 0;
        for (const auto& commit : thread.commits)
            if (commit.mask >> of_lane & 1) {
                ++groups;
                if (!group && commit.upto >= index)
                    group = groups;
            }
        return group;
    }

    void undefined() {
        name("uninitialised-read", fmt::format("read {} memory that nothing has written", memory()), "",
             fmt::format("Nothing has written these bytes of {} memory since they were allocated.", memory()));
    }
    void against_copy();
    void against_copy_source();
    void against_async();
    void ordinary();
    bool excused();
};

void Conflict::against_copy() {
    using R = Detector::Role;
    const WarpState* thread = issuer();
    const uint32_t by = lane_of(other), index = tick_of(other);
    const bool own = thread == &ws && by == lane;
    uint32_t groups = 0;
    const uint32_t group = thread ? group_of(*thread, by, index, groups) : 0;
    const std::string issued = group ? fmt::format("the copy was issued here, as group {} of {}", group,
                                                   own ? "this thread" : "each thread")
                                     : "the copy was issued here, and not committed";
    const char* what = role == R::load ? "read" : role == R::store || role == R::atomic ? "write" : "copy";
    if (thread && thread->copies_done[by] >= index) {
        name("missing-barrier-after-wait",
             fmt::format("{} bytes that another thread's copy has written", what), issued,
             "The thread that issued the copy has waited for it, but nothing orders that wait before this access: a wait "
             "covers the copies of the waiting thread only.",
             "Put __syncthreads() (or a barrier that both threads take part in) between the wait and this access.");
        return;
    }
    if (role == R::store || role == R::atomic) {
        name("write-before-completion", "write bytes that an asynchronous copy is still writing", issued,
             "Until the copy is complete its destination must be neither read nor written.");
        return;
    }
    if (role == R::copy_destination || role == R::async_write) {
        name("overlapping-copies", "copy into bytes that another asynchronous copy is still writing", issued,
             "Copies are not ordered among each other before a completed wait: which bytes remain is undefined.");
        return;
    }
    const WaitEvent* wait = thread ? &thread->last_wait[by] : nullptr;
    if (!wait || wait->pc == 0 || wait->issued < index) {
        name("missing-wait", fmt::format("{} bytes that an asynchronous copy is still writing", what), issued,
             own ? "This thread has not waited since it issued the copy. __syncthreads() does not complete copies."
                 : "The thread that issued the copy has not waited for it. __syncthreads() does not complete copies.");
        return;
    }
    Place waited = detector.place(wait->pc, fmt::format("the last wait, for all but the {} most recent groups", wait->n));
    if (!group || [&] { // committed only after the wait
            uint32_t upto = 0;
            for (const auto& commit : thread->commits)
                if ((commit.mask >> by & 1) && commit.upto <= wait->issued)
                    upto = std::max(upto, commit.upto);
            return upto < index;
        }()) {
        name("uncommitted-copy", fmt::format("{} bytes that an asynchronous copy is still writing", what), issued,
             "A wait covers committed groups only, and this copy was not committed before the wait.",
             "Commit (__pipeline_commit(), cp.async.commit_group) between the copy and the wait.");
        finding.others.push_back(std::move(waited));
        return;
    }
    const uint32_t newer = groups - group;
    std::string message = fmt::format("Waiting for all but the {} most recent group{} leaves group {} pending: {}.", wait->n,
                                      wait->n == 1 ? "" : "s", group,
                                      newer == 0 ? "nothing newer was committed, it is the most recent one"
                                                 : fmt::format("only {} newer group{} been committed", newer,
                                                               newer == 1 ? " has" : "s have"));
    name("read-before-completion", fmt::format("{} bytes that an asynchronous copy is still writing", what), issued, message,
         fmt::format("Wait for all but {} here, or keep committing (empty) groups so that {} newer ones follow.", newer,
                     wait->n));
    finding.others.push_back(std::move(waited));
}

void Conflict::against_copy_source() {
    name("source-modified-in-flight", "write bytes that an asynchronous copy may still be reading",
         "the copy was issued here", "The source of a copy must not change before the copy is complete.",
         "Wait for the copy first (and synchronise, if another thread issued it).");
}

void Conflict::against_async() {
    const auto number = number_of(other);
    const AsyncOp& op = detector.async_ops_[number - detector.first_async_];
    using R = Detector::Role;
    if (!other_wrote) {
        name("source-modified-in-flight", "write bytes that a bulk copy may still be reading", "the bulk copy was issued here",
             "The source of a copy must not change before the copy has read it.");
        return;
    }
    if (role == R::copy_destination || role == R::async_write) {
        name("overlapping-copies", "copy into bytes that a bulk copy is still writing", "the bulk copy was issued here",
             "The earlier copy is complete for this thread only after it has waited on the copy's mbarrier phase.");
        return;
    }
    const bool store = role == R::store || role == R::atomic;
    name(store ? "write-before-completion" : "missing-wait",
         fmt::format("{} bytes that a bulk copy is still writing", store ? "write" : "read"), "the bulk copy was issued here",
         op.landed ? fmt::format("The copy completes phase {} of its mbarrier, and this thread is not ordered after a "
                                 "successful wait for that phase.",
                                 op.phase)
                   : "The copy completes on an mbarrier, and that phase is not complete.");
}

void Conflict::ordinary() {
    using R = Detector::Role;
    const bool copy = role == R::copy_destination, async = role == R::async_write || role == R::async_read;
    const std::string where = memory();
    if (other_wrote && (role == R::load || role == R::copy_source || role == R::async_read)) {
        if (role == R::async_read && detector.ordered(ws, lane, other)) {
            name("missing-proxy-fence", "read through the async proxy what was written through the generic proxy",
                 "the bytes were written here",
                 "The write is ordered before the bulk copy, but no fence.proxy.async lies between them.",
                 "Each writer executes fence.proxy.async before the barrier, or the issuer after it.");
            return;
        }
        name("read-after-write-race",
             role == R::load ? fmt::format("read {} memory that another thread writes", where)
                             : fmt::format("copy from {} memory that another thread writes", where),
             "the bytes are written here", "Nothing orders the write before this read.",
             space == ptx::Space::shared ? "Put a barrier (__syncthreads(), or __syncwarp() within a warp) between them."
                                         : "Order the two: another launch, a grid barrier, or release and acquire.");
        return;
    }
    if (!other_wrote) {
        if (copy || async) {
            if (async && detector.ordered(ws, lane, other)) {
                name("missing-proxy-fence", "refill through the async proxy bytes that were read through the generic proxy",
                     "the bytes were read here",
                     "The read is ordered before the bulk copy, but no fence.proxy.async lies between them.");
                finding.note = true;
                return;
            }
            name("refill-while-read", "copy into a buffer that may still be read", "the bytes are read here",
                 "Nothing orders that read before this copy, so the buffer may be refilled while it is in use.",
                 "Let every reader reach a barrier after its last read and before the copy is issued.");
            return;
        }
        name("write-after-read-race", fmt::format("write {} memory that another thread may still be reading", where),
             "the bytes are read here", "Nothing orders that read before this write.",
             space == ptx::Space::shared ? "Put a barrier between the last read and the first write that re-uses the buffer."
                                         : "Order the two: another launch, a grid barrier, or release and acquire.");
        return;
    }
    if (async && detector.ordered(ws, lane, other)) {
        name("missing-proxy-fence", "write through the async proxy bytes that were written through the generic proxy",
             "the bytes were written here",
             "The earlier write is ordered before the bulk copy, but no fence.proxy.async lies between them.");
        return;
    }
    name("write-after-write-race",
         copy || async ? "copy into bytes that another thread writes" : fmt::format("write {} memory that another thread writes", where),
         "the bytes are also written here", "Nothing orders the two writes: which value remains is undefined.");
}

/// An edge between lanes of one warp that only another .sync collective bridges is customary: a note.
bool Conflict::excused() {
    const EpochKind kind = kind_of(other);
    if ((kind != EpochKind::plain && kind != EpochKind::strong) || block_of(other) != ws.block || warp_of(other) != ws.warp)
        return false;
    const uint32_t by = lane_of(other);
    return (ws.rendezvous_mask[lane] >> by & 1) && ws.rendezvous_tick[lane] >= tick_of(other) &&
           (ws.rendezvous_mask[by] >> lane & 1);
}

std::optional<Finding> Detector::conflict(Exec& x, const Op&, WarpState& ws, uint32_t lane, Role role, Epoch other,
                                          uint32_t other_pc, bool other_wrote, ptx::Space space) {
    const uint64_t pair = uint64_t{x.pc()} << 32 | other_pc;
    if (++held_[pair] > dynamic_limit)
        return std::nullopt; // said often enough
    Conflict c{*this, x, ws, lane, role, other, other_pc, other_wrote, space};
    const EpochKind kind = kind_of(other);
    if (kind == EpochKind::none)
        c.undefined();
    else if (kind == EpochKind::copy && other_wrote)
        c.against_copy();
    else if (kind == EpochKind::copy)
        c.against_copy_source();
    else if (kind == EpochKind::async)
        c.against_async();
    else if (kind == EpochKind::host || (block_of(other) < launch_.base))
        c.name("stream-race", fmt::format("{} memory that work of another stream uses", c.writes() ? "write" : "read"),
               "the other use", "Nothing orders the two: different streams run concurrently unless an event orders them.",
               "Record an event after the first and let the second's stream wait for it, or use one stream.");
    else
        c.ordinary();
    c.finding.kernel = launch_.kernel;
    if (!c.finding.rule)
        return std::nullopt;
    c.finding.note = c.finding.note || c.finding.rule->severity == Severity::note || c.excused();
    return std::move(c.finding);
}

uint32_t Detector::hold(Finding finding, uint32_t, uint32_t) {
    pending_.push_back({std::move(finding)});
    return uint32_t(pending_.size());
}

void Detector::used(Exec&, const Op&, uint32_t report) {
    if (report && report <= pending_.size())
        emit(pending_[report - 1].finding);
}

void Detector::emit(std::optional<Finding> finding) {
    if (!finding || !finding->rule)
        return;
    if (finding->kernel.empty())
        finding->kernel = launch_.kernel;
    if (finding->remedy.empty())
        finding->remedy = finding->rule->remedy;
    finding->note = finding->note || finding->rule->severity == Severity::note;
    finding->schedule = schedule_;
    reporter_.add(std::move(*finding));
}

void Detector::problem(Warp* warp, uint32_t mask, const Op* op, const char* rule, const std::string& message) {
    Finding finding;
    finding.rule = find_rule(rule);
    if (!finding.rule)
        return;
    if (warp && op)
        for (const auto& fragment : warp->fragments) {
            const auto* function = fragment.frame->function;
            if (op >= function->ops.data() && op < function->ops.data() + function->ops.size()) {
                finding.first = place(function->first_pc + uint32_t(op - function->ops.data()), "stopped here");
                break;
            }
        }
    if (warp)
        finding.first.threads.add(warp->block.linear, warp->id * 32, mask);
    finding.message = message;
    emit(std::move(finding));
}

void Detector::report(Exec& x, const Op&, uint32_t mask, const char* rule, std::string action, std::string message,
                      std::string remedy) {
    Finding finding;
    finding.rule = find_rule(rule);
    finding.first = place(x.pc(), std::move(action));
    finding.first.threads.add(x.block.linear, x.warp.id * 32, mask);
    finding.message = std::move(message);
    finding.remedy = std::move(remedy);
    emit(std::move(finding));
}

} // namespace sim::hazards

namespace sim::machine {

std::unique_ptr<Listener> make_listener(memory::GlobalMemory& memory,
                                        std::function<DecodedFunction*(uint32_t)> function_at) {
    return std::make_unique<hazards::Detector>(memory, std::move(function_at));
}

} // namespace sim::machine
