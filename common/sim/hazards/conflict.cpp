// The slow path: two accesses are not ordered. Which rule names it, and what to say.
#include <algorithm>

#include "sim/hazards/conflict.h"

namespace sim::hazards {
namespace {

constexpr uint32_t dynamic_limit = 256; // findings held per pair of instructions and launch

} // namespace

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
             space == ptx::Space::shared
                 ? "Put a barrier (__syncthreads(), or __syncwarp() within a warp) between them."
                 : "Order the two: another launch, a grid barrier, or release and acquire.");
        return;
    }
    if (!other_wrote) {
        if (copy || async) {
            if (async && detector.ordered(ws, lane, other)) {
                name("missing-proxy-fence",
                     "refill through the async proxy bytes that were read through the generic proxy",
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
             space == ptx::Space::shared
                 ? "Put a barrier between the last read and the first write that re-uses the buffer."
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
         copy || async ? "copy into bytes that another thread writes"
                       : fmt::format("write {} memory that another thread writes", where),
         "the bytes are also written here", "Nothing orders the two writes: which value remains is undefined.");
}

/// An edge between lanes of one warp that only another .sync collective bridges is customary: a note.
bool Conflict::excused() {
    const EpochKind kind = kind_of(other);
    if ((kind != EpochKind::plain && kind != EpochKind::strong) || block_of(other) != ws.block ||
        warp_of(other) != ws.warp)
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
               "the other use",
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
