// The slow path: two accesses are not ordered. Which rule names it, and what to say.
#include <algorithm>

#include "sim/hazards/conflict.h"

namespace sim::hazards {
namespace {

constexpr uint32_t dynamic_limit = 256; // findings held per pair of instructions and launch

} // namespace

std::string asked_for(const BarrierWait& wait, uint32_t meant) {
    const std::string right = fmt::format("phase {} (parity {})", meant, meant & 1);
    if (wait.before_first())
        return fmt::format(
            "The thread asked for parity 1 while no phase of the mbarrier was over: a new barrier says yes "
            "to that at once. What it reads arrives in {}.",
            right);
    if (meant == wait.phase)
        return fmt::format(
            "The thread waited for {} of the mbarrier, which was over before the arrival that comes with "
            "these bytes: more arrivals are made in a phase than mbarrier.init counts.",
            right);
    return fmt::format("The thread waited for phase {} (parity {}) of the mbarrier{}, but what it reads arrives in {}.",
                       wait.phase, wait.phase & 1, wait.again ? ", which it had waited for before" : "", right);
}

std::string to_ask_for(const BarrierWait& wait) {
    return wait.before_first() || wait.again
               ? "Wait for the phases in turn: parity 0 for the first phase of a barrier, 1 for the second, 0 for the "
                 "third."
               : "";
}

void Conflict::undefined() {
    const BarrierWait& wait = ws.waited[lane];
    if (wait.barrier && space == ptx::Space::shared) {
        name("early-phase", "read shared memory that nothing had written", "",
             wait.before_first()
                 ? "The thread asked for parity 1 while no phase of the mbarrier was over: a new barrier "
                   "says yes to that at once. Nothing had been written here by then."
                 : fmt::format("Phase {} (parity {}) of the mbarrier, which the thread waited for, was "
                               "over before anything had been written here.",
                               wait.phase, wait.phase & 1),
             to_ask_for(wait));
        finding.others.push_back(detector.place(wait.pc, "the wait"));
        return;
    }
    name("uninitialised-read", fmt::format("read {} memory that nothing has written", memory()), "",
         fmt::format("Nothing has written these bytes of {} memory since they were allocated.", memory()));
}

void Conflict::name_reversed(const char* rule, std::string other_action, std::string this_action, std::string message,
                             std::string remedy) {
    name(rule, std::move(this_action), std::move(other_action), std::move(message), std::move(remedy));
    std::swap(finding.first, finding.others.front());
}

/// A read that came before the first write of its bytes. What is missing is an order of the two.
void Conflict::name_early_read(Finding& finding, Detector::Role writer, const WarpState* reader, uint32_t reader_lane,
                               ptx::Space space) {
    using R = Detector::Role;
    const bool copy = writer == R::copy_destination || writer == R::async_write;
    const bool waited = reader && reader->last_wait[reader_lane].pc;
    const std::string_view where = space == ptx::Space::shared ? "shared" : "global";
    finding.rule = find_rule(!copy ? "read-after-write-race" : waited ? "missing-barrier-after-wait" : "missing-wait");
    finding.first.action = copy ? "read bytes that another thread's copy was to write"
                                : fmt::format("read {} memory that another thread wrote later", where);
    finding.message = copy ? "Nothing orders the copy, and a wait by the thread that issued it, before this read. "
                             "Here the read came first."
                           : "Nothing orders the write before this read. Here the read came first.";
    finding.remedy = space == ptx::Space::shared
                         ? "Put __syncthreads() (or a barrier that both threads take part in) between them."
                         : "Order the two: another launch, a grid barrier, or release and acquire.";
}

/// A consumer read what a producer wrote for a later phase than the one that the consumer had waited for: was it the
/// producer that came too soon?
bool Conflict::overrun(const WarpState* producer, uint32_t by, uint32_t written_in, uint32_t pc, std::string what) {
    const BarrierWait& wait = ws.waited[lane];
    if (!producer || wait.before_first() || wait.again || written_in <= wait.phase)
        return false;
    // It has arrived once in each phase. Otherwise the phases are too short: they do not count everybody.
    for (uint32_t phase = wait.phase; phase != written_in; ++phase)
        if (!producer->arrival(by,
                               [&](const BarrierArrival& a) { return a.barrier == wait.barrier && a.phase == phase; }))
            return false;
    using R = Detector::Role;
    const EpochKind kind = kind_of(other);
    const bool copied = kind == EpochKind::copy || kind == EpochKind::async;
    if (role != R::load && role != R::async_read)
        return false;
    name_reversed(
        copied ? "refill-while-read" : "write-after-read-race",
        copied ? "copied into a buffer that may still have been in use"
               : "wrote shared memory that another thread may still have been reading",
        "read it",
        fmt::format("The thread that reads has waited for phase {} of the mbarrier and found what was written "
                    "for phase {}: the producer has overrun it.",
                    wait.phase, written_in),
        "Let the consumer tell when it has read (a second, `empty` barrier for each buffer), and the producer "
        "wait for that before it fills the buffer again.");
    finding.others.push_back(detector.place(pc, std::move(what)));
    finding.others.push_back(detector.place(wait.pc, "the consumer's wait"));
    return true;
}

/// Did the writer arrive on the mbarrier that this thread waited for, in a later phase?
bool Conflict::early_phase() {
    const BarrierWait& wait = ws.waited[lane];
    const WarpState* thread = issuer();
    if (!wait.barrier || !thread)
        return false;
    const BarrierArrival* late = thread->arrival(lane_of(other), [&](const BarrierArrival& a) {
        return a.barrier == wait.barrier && (wait.before_first() || a.phase > wait.phase) && a.tick >= tick_of(other);
    });
    if (!late)
        return false;
    if (overrun(thread, lane_of(other), late->phase, late->pc, "the writer's arrival"))
        return true;
    name("early-phase", "read shared memory that another thread wrote", "wrote it", asked_for(wait, late->phase),
         to_ask_for(wait));
    finding.others.push_back(detector.place(late->pc, "the writer's arrival"));
    finding.others.push_back(detector.place(wait.pc, "the wait"));
    return true;
}

/// The write is ordered before the bulk copy, but not fenced.
void Conflict::proxy_fence_rule(const char* action) {
    const char* const remedy = "Each writer executes fence.proxy.async before the barrier, or the issuer after it.";
    const WarpState* writer = issuer();
    const bool in_shared = space == ptx::Space::shared;
    const bool by_writer =
        writer && (in_shared ? writer->fenced_global : writer->fenced_shared)[lane_of(other)] >= tick_of(other);
    if (by_writer || (ws.proxy_fence_pc && ws.synchronisations == ws.proxy_fence_sync)) {
        name("missing-proxy-fence", action, "wrote it",
             fmt::format("A fence.proxy.async lies between the write and the bulk copy, but not for {} memory.",
                         memory()),
             remedy);
        finding.others.push_back(detector.place((by_writer ? writer : &ws)->proxy_fence_pc, "the fence"));
    } else if (ws.proxy_fence_pc && ws.synchronisations == ws.proxy_fence_sync + 1) {
        name("fence-before-barrier", action, "wrote it",
             "The issuer of the copy executed fence.proxy.async before the barrier: that fences its own accesses, and "
             "not what other threads wrote, which it got to know at the barrier.",
             remedy);
        finding.others.push_back(detector.place(ws.proxy_fence_pc, "the fence"));
    } else {
        name("missing-proxy-fence", action, "wrote it",
             "The write is ordered before the bulk copy, but no fence.proxy.async lies between them.", remedy);
    }
}

/// The writer has fenced its write, but nothing orders it before the bulk copy.
bool Conflict::fence_without_barrier() {
    const WarpState* writer = issuer();
    if (!writer ||
        (space == ptx::Space::shared ? writer->fenced_shared : writer->fenced_global)[lane_of(other)] < tick_of(other))
        return false;
    name("fence-without-barrier", fmt::format("{} bytes that another thread wrote", verb()), "wrote it",
         "The writer has executed fence.proxy.async, but no barrier orders the write before the copy: a fence does not "
         "wait "
         "for other threads.",
         "Put a barrier between the writers' fences and the copy.");
    finding.others.push_back(detector.place(writer->proxy_fence_pc, "the writer's fence"));
    return true;
}

/// This thread has seen a release by the writer, but it lies outside the release's scope.
bool Conflict::narrow_scope() {
    const Chunk* told = ws.narrow ? ws.narrow->chunk(block_of(other)) : nullptr;
    if (!told || told->at(Plane::generic, warp_of(other), lane_of(other)) < tick_of(other))
        return false;
    name("scope-too-narrow", fmt::format("read {} memory that a thread of another block wrote", memory()), "wrote it",
         "The writer has released it, and this thread has acquired, but the release has .cta scope: it takes effect "
         "among "
         "the threads of one block only.");
    if (ws.narrow_release_pc)
        finding.others.push_back(detector.place(ws.narrow_release_pc, "the release"));
    finding.others.push_back(detector.place(ws.narrow_acquire_pc, "the acquire"));
    return true;
}

const char* Conflict::read_first_remedy() const {
    return space == ptx::Space::shared
               ? "Put a barrier between the last read and the first write that re-uses the buffer."
               : "Order the two: another launch, a grid barrier, or release and acquire.";
}

void Conflict::ordinary() {
    using R = Detector::Role;
    const bool copy = role == R::copy_destination, async = role == R::async_write || role == R::async_read;
    const std::string where = memory();
    if (other_wrote && (role == R::load || role == R::copy_source || role == R::async_read)) {
        if (role == R::async_read && detector.ordered(ws, lane, other)) {
            proxy_fence_rule("read through the async proxy what was written through the generic proxy");
            return;
        }
        if (role == R::async_read && fence_without_barrier())
            return;
        if (role == R::load && space == ptx::Space::shared && early_phase())
            return;
        if (role == R::load && narrow_scope())
            return;
        if (role == R::load && meant(x.pc(), other_pc) && !same_line()) {
            name_reversed("write-after-read-race",
                          fmt::format("wrote {} memory that another thread had yet to read", where), "read it",
                          "Nothing orders that read before this write. Here the write came first.",
                          read_first_remedy());
            return;
        }
        name("read-after-write-race",
             role == R::load ? fmt::format("read {} memory that another thread wrote", where)
                             : fmt::format("copied from {} memory that another thread wrote", where),
             "wrote it", "Nothing orders the write before this read.",
             space == ptx::Space::shared
                 ? "Put a barrier (__syncthreads(), or __syncwarp() within a warp) between them."
                 : "Order the two: another launch, a grid barrier, or release and acquire.");
        return;
    }
    if (!other_wrote) {
        const bool read_late = !async || !detector.ordered(ws, lane, other); // else: only a fence is missing
        if (read_late && meant(x.pc(), other_pc) && !same_line()) {
            name_reversed("", "", "", {});
            finding.others.front().action = copy ? "issued the copy" : async ? "issued the bulk copy" : "wrote it";
            name_early_read(finding, role, issuer(), lane_of(other), space);
            return;
        }
        if (copy || async) {
            if (async && detector.ordered(ws, lane, other)) {
                name("missing-proxy-fence", "refilled through the async proxy what was read through the generic proxy",
                     "read it",
                     "The read is ordered before the bulk copy, but no fence.proxy.async lies between them.");
                finding.note = true;
                return;
            }
            name("refill-while-read", "copied into a buffer that may still have been in use", "read it",
                 "Nothing orders that read before this copy, so the buffer may be refilled while it is in use.",
                 "Let every reader reach a barrier after its last read and before the copy is issued.");
            return;
        }
        name("write-after-read-race",
             fmt::format("wrote {} memory that another thread may still have been reading", where), "read it",
             "Nothing orders that read before this write.", read_first_remedy());
        return;
    }
    if (async && detector.ordered(ws, lane, other)) {
        proxy_fence_rule("wrote through the async proxy what was written through the generic proxy");
        return;
    }
    if (async && fence_without_barrier())
        return;
    name("write-after-write-race",
         copy || async ? "copied into bytes that another thread wrote"
                       : fmt::format("wrote {} memory that another thread wrote", where),
         "wrote it, too", "Nothing orders the two writes: which value remains is undefined.");
}

/// Customary edges that the memory model does not know.
bool Conflict::excused() {
    const EpochKind kind = kind_of(other);
    if (kind != EpochKind::plain && kind != EpochKind::strong)
        return false;
    const uint32_t by = lane_of(other);
    if (block_of(other) == ws.block && warp_of(other) == ws.warp && (ws.rendezvous_mask[lane] >> by & 1) &&
        ws.rendezvous_tick[lane] >= tick_of(other) && (ws.rendezvous_mask[by] >> lane & 1)) {
        finding.message += " Only a shuffle or vote lies between them, which does not order memory.";
        return true;
    }
    const Chunk* chunk = ws.clock(lane)->chunk(block_of(other));
    if (chunk && chunk->at(Plane::seen, warp_of(other), by) >= tick_of(other)) {
        finding.message += " A relaxed atomic operation has told of it, but no fence follows that one.";
        finding.remedy = "Put __threadfence() after the atomic operation (or make it an acquire).";
        return true;
    }
    return false;
}

std::optional<Finding> Detector::conflict(Exec& x, const Op&, WarpState& ws, uint32_t lane, Role role, Epoch other,
                                          uint32_t other_pc, bool other_wrote, ptx::Space space) {
    const uint64_t pair = uint64_t{x.pc()} << 32 | other_pc;
    if (++held_[pair] > dynamic_limit)
        return std::nullopt; // said often enough
    Conflict c{*this, x, ws, lane, role, other, other_pc, other_wrote, space};
    const EpochKind kind = kind_of(other);
    if (!early_.empty() && settle_early(c))
        return std::nullopt;
    if (kind == EpochKind::none)
        c.undefined();
    else if (kind == EpochKind::copy && other_wrote)
        c.against_copy();
    else if (kind == EpochKind::copy)
        c.against_copy_source();
    else if (kind == EpochKind::async) {
        c.against_async();
        if (const auto remark = bulk_remarks_.find(number_of(other)); remark != bulk_remarks_.end())
            c.finding.message += " " + remark->second;
    } else if (kind == EpochKind::host || (block_of(other) < launch_.base))
        c.name("stream-race", fmt::format("{} memory that work of another stream uses", c.writes() ? "wrote" : "read"),
               other_wrote ? "wrote it" : "read it",
               "Nothing orders the two: different streams run concurrently unless an event orders them.",
               "Record an event after the first and let the second's stream wait for it, or use one stream.");
    else
        c.ordinary();
    c.finding.kernel = launch_.kernel;
    if (!c.finding.rule)
        return std::nullopt;
    c.finding.note = c.finding.note || c.finding.rule->severity == Severity::note || c.excused();
    return std::move(c.finding);
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
