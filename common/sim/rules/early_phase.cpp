#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// "The thread waited for phase 2 (parity 0) of the mbarrier, but the bytes that it reads arrive in phase 3 (parity
/// 1)."
std::string asked_for(const Conflict& conflict, uint32_t meant) {
    const PhaseWait& wait = conflict.phase_wait();
    const std::string right = phase_text(meant, conflict), barrier = conflict.barrier(wait.barrier);
    if (wait.before_first())
        return fmt::format("The thread waited for parity 1 before any phase of {} had completed; on "
                           "a new barrier that wait returns at once. The bytes that it reads arrive in {}.",
                           barrier, right);
    if (meant == wait.phase)
        return fmt::format("The thread waited for {}, but that phase completed before the arrival "
                           "that follows these bytes: more threads arrive than {} counts.",
                           right, conflict.by_parity() ? "mbarrier.init" : "init()");
    return fmt::format("The thread waited for {} of {}{}, but the bytes that it reads arrive in {}.",
                       phase_text(wait.phase, conflict), barrier, wait.again ? ", for which it had already waited" : "",
                       right);
}

/// What to do about it, where the rule's own remedy (what mbarrier.init counts) would mislead.
std::string to_ask_for(const Conflict& conflict) {
    const PhaseWait& wait = conflict.phase_wait();
    if (!wait.before_first() && !wait.again)
        return conflict.by_parity()
                   ? ""
                   : "Pass init() the number of threads that arrive in a phase, and let each arrive only "
                     "after its data is written.";
    return conflict.by_parity() ? phases_in_turn : newest_token;
}

/// Shows the wait: as the line to change if it asked for the wrong phase.
void show_wait(Explanation& text, const Conflict& conflict) {
    const PhaseWait& wait = conflict.phase_wait();
    if (wait.before_first() || wait.again)
        blame_wait(text, wait, conflict.by_parity());
    else
        text.also.emplace_back(wait.pc, "the wait");
}

Explanation nothing_written(const Conflict& conflict) {
    const PhaseWait& wait = conflict.phase_wait();
    const std::string barrier = conflict.barrier(wait.barrier);
    Explanation text{
        .action = "read shared memory that nothing had written",
        .message = wait.before_first()
                       ? fmt::format("The thread waited for parity 1 before any phase of {} had completed; on a new "
                                     "barrier that wait returns at once. No thread had written these bytes by then.",
                                     barrier)
                       : fmt::format("The thread waited for {} of {}, but that "
                                     "phase completed before any thread had written these bytes.",
                                     phase_text(wait.phase, conflict), barrier),
        .remedy = to_ask_for(conflict),
    };
    show_wait(text, conflict);
    text.cause_is_wait = text.cause.first;
    if (text.cause_is_wait)
        return text;
    if (const auto phase = conflict.completed_phase(); phase && phase->other_blocks && !phase->arrived.empty()) {
        text.message += fmt::format(" It completed by the arrivals of {}.", phase->arrived.text());
        text.remedy = "Let those threads arrive on this barrier, and no others, whose writes the wait is for; "
                      "mbarrier.init counts them.";
        if (phase->arrived_pc)
            text.cause = {phase->arrived_pc, "threads of several blocks arrive on one block's barrier"};
    }
    return text;
}

/// " tensormap.replace has set …"; empty: nothing is odd about the copy's map.
std::string about_the_map(const BulkOp& op) {
    return op.remark.empty() ? "" : " " + op.remark;
}

/// The phase completed too soon since it expected fewer bytes than the copies issued in it deliver. A copy that came
/// too early for its stage does not belong to the phase.
std::optional<Explanation> too_few_expected(const Conflict& conflict, const BulkOp& op) {
    const PhaseWait& wait = conflict.phase_wait();
    const auto phase =
        op.issued_in == wait.phase && op.barrier == wait.barrier ? conflict.completed_phase() : std::nullopt;
    if (!phase || !phase->announced_pc || phase->issued <= phase->expected || op.overruns)
        return std::nullopt;
    return Explanation{
        .action = in_flight(conflict),
        .other_action = issued_bulk(conflict),
        .message =
            fmt::format("The thread waited for {} of {}. That phase expected {} bytes, but the copies issued in it "
                        "write {}, so it completed before all of them had arrived.{}",
                        phase_text(wait.phase, conflict), conflict.barrier(wait.barrier), phase->expected,
                        phase->issued, about_the_map(op)),
        .remedy = "Expect the bytes of all copies of a phase (mbarrier.arrive.expect_tx) before its last arrival.",
        .also = {{wait.pc, "the wait"}},
        .cause = {phase->announced_pc, fmt::format("announced {} bytes", phase->expected)},
    };
}

Explanation of_bulk_copy(const Conflict& conflict, const BulkOp& op) {
    const PhaseWait& wait = conflict.phase_wait();
    if (wait.again || wait.before_first())
        return {
            .action = in_flight(conflict),
            .other_action = issued_bulk(conflict),
            .message = asked_for(conflict, op.landed ? op.phase : op.issued_in),
            .remedy = to_ask_for(conflict),
            .cause = wrong_wait(wait, conflict.by_parity()),
            .returned_at_once = true,
        };
    if (auto text = too_few_expected(conflict, op))
        return *text;
    const std::string waited =
        fmt::format("The thread waited for {} of {}", phase_text(wait.phase, conflict), conflict.barrier(wait.barrier));
    return {
        .action = in_flight(conflict),
        .other_action = issued_bulk(conflict),
        .message =
            (op.landed ? fmt::format("{}, but the {} completed in phase {}: it writes {} bytes, "
                                     "and the barrier expected {} when they arrived.",
                                     waited, noun(conflict), op.phase, op.bytes, std::max<int64_t>(op.expected, 0))
                       : fmt::format("{}, but that phase completed before the bytes of this {} had arrived.", waited,
                                     noun(conflict))) +
            about_the_map(op),
        .remedy = "Expect all bytes of a phase (mbarrier.arrive.expect_tx) before its "
                  "last arrival, and wait for the phase that these bytes belong to.",
        .also = {{wait.pc, "the wait"}},
    };
}

std::pair<uint32_t, std::string> wrong_count(const ArrivalCount& count, const std::string& barrier) {
    return {count.init_pc,
            fmt::format("{} counts {} arrival{} in a phase", barrier, count.counted, count.counted == 1 ? "" : "s")};
}
/// The phase was over too soon because more threads arrive than it counts, among them the one that made the other
/// access: that is the cause.
std::optional<Explanation> counted(const Conflict& conflict) {
    const PhaseWait& wait = conflict.phase_wait();
    const WarpState* other = conflict.other_warp();
    if (!wait.barrier || wait.again || wait.before_first() || conflict.only_unfenced())
        return std::nullopt;
    const auto count = conflict.too_many_arrive(wait.barrier);
    const bool involved = conflict.undefined() || (conflict.bulk() && conflict.writes()) ||
                          (other && count && count->warps.contains({other->clock.block, other->clock.warp}));
    if (!count || !involved)
        return std::nullopt;
    const std::string barrier = conflict.barrier(wait.barrier);
    return Explanation{
        .action = conflict.undefined() ? "read shared memory that nothing had written"
                                       : fmt::format("{} bytes that another thread {}", conflict.verb(),
                                                     conflict.other_wrote ? "wrote" : "may still have been reading"),
        .other_action = !conflict.other_wrote ? "read them"
                        : conflict.bulk()     ? issued_bulk(conflict)
                        : conflict.copy()     ? issued(*conflict.copy())
                                              : "wrote them",
        .message = fmt::format("The thread waited for {} of {}, but {}.", phase_text(wait.phase, conflict), barrier,
                               hazards::text(*count)),
        .remedy = count_all,
        .also = {{wait.pc, "the wait"}},
        .cause = wrong_count(*count, barrier),
    };
}

Explanation released_too_soon(const ReleasedTooSoon& release) {
    return {
        .message =
            fmt::format("The copy was issued after a wait for {}, but {}.", release.name, hazards::text(release.count)),
        .remedy = count_all,
        .cause = wrong_count(release.count, release.name),
    };
}

Explanation counted_too_late(const CountedTooLate& late) {
    return {
        .action = "counted the arrival of their copies in",
        .other_action = "the count",
        .message = fmt::format("Without .noinc, cp.async.mbarrier.arrive adds an arrival to the current phase of {}. "
                               "Nothing orders that before the phase completes, so the phase may be over "
                               "before the arrival is counted, and before the copy is complete.",
                               late.name),
        .remedy = "Use cp.async.mbarrier.arrive.noinc and let mbarrier.init count these arrivals, or let each of these "
                  "threads also arrive by itself (mbarrier.arrive) afterwards, and count that.",
    };
}

std::optional<Explanation> by_phase(const Conflict& conflict) {
    const PhaseWait& wait = conflict.phase_wait();
    const bool for_certain = !wait.through || wait.again || wait.before_first();
    if (conflict.undefined() && wait.barrier && conflict.shared() && for_certain)
        return nothing_written(conflict);
    const auto& later = conflict.later_phase();
    if (!later || later->overrun)
        return std::nullopt;
    if (const BulkFacts* bulk = conflict.bulk())
        return of_bulk_copy(conflict, *bulk->op);
    const bool copied = conflict.copy();
    Explanation text{
        .action = copied ? in_flight(conflict) : "read shared memory that another thread wrote",
        .other_action = copied ? issued(*conflict.copy()) : "wrote it",
        .message = asked_for(conflict, later->phase),
        .remedy = to_ask_for(conflict),
        .also = {{later->pc, copied ? "the arrival that tracks the copy" : "the writer's arrival"}},
    };
    show_wait(text, conflict);
    return text;
}

Explanation announced_too_late(const OrderFault& fault) {
    return {
        .action = fmt::format("announced or copied bytes of {}, which is complete before that in another order",
                              phase_text(fault.meant)),
        .message = fmt::format("A phase of {} completes with the last arrival if no bytes are announced by then, and "
                               "nothing orders this announcement before that arrival. Such an order:{}",
                               fault.barrier, fault.order),
        .remedy = "Let the thread that announces the bytes arrive itself, with mbarrier.arrive.expect_tx, and count "
                  "its arrival in mbarrier.init.",
    };
}

} // namespace

const Rule rule::early_phase{
    .name = "early-phase",
    .title = "A phase of an mbarrier completes before all of its data has arrived",
    .why = R"(A wait for a phase of an mbarrier orders a thread after the arrivals and the bytes of that phase, and
        after no others. If the barrier expects fewer arrivals than there are writers, or fewer bytes than are copied,
        or if a thread arrives before its data is written, the phase completes while some of that data is still
        missing. A wait for the wrong parity has the same effect, because the phase it names is already complete.
        Without .noinc, cp.async.mbarrier.arrive adds an arrival to the phase, and the phase may be over before that
        arrival is counted.)",
    .remedy = R"(Pass mbarrier.init the number of threads that arrive in a phase, expect all of its bytes, and arrive
        only after the data is written.)",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#contents-of-the-mbarrier-object",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* order = facts.as<OrderFault>(); order && order->what == OrderFault::What::incomplete)
            return announced_too_late(*order);
        if (const auto* late = facts.as<CountedTooLate>())
            return counted_too_late(*late);
        if (const auto* release = facts.as<ReleasedTooSoon>())
            return released_too_soon(*release);
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        auto text = counted(*conflict);
        if (!text)
            text = by_phase(*conflict);
        if (text && conflict->phase_wait().through && !conflict->phase_wait().again)
            text->message += fmt::format(" Warp {} executed that wait, and the thread met it at a barrier afterwards.",
                                         conflict->phase_wait().through - 1);
        return text;
    },
    .suspected = {{"mbarrier.arrive.expect_tx", 2}, {"mbarrier.expect_tx", 2}, {"mbarrier.arrive", 2}},
    .suspected_with = "mbarrier",
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[32];

__global__ void add_pairs() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t filled;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&filled, 33); // wrong: 64 threads fill the tile and arrive
    __syncthreads();
    if (i >= 32) {
        tile[i - 32] = in[i - 32];
        __mbarrier_arrive(&filled);
    } else {
        while (!__mbarrier_test_wait_parity(&filled, 0)) {
        }
        out[i] = tile[2 * i] + tile[2 * i + 1];
    }
}

int main() {
    add_pairs<<<1, 96>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        __mbarrier_init(&filled, 33); // wrong: 64 threads fill the tile and arrive
+        __mbarrier_init(&filled, 64);
)",
};

} // namespace sim::hazards
