#include "sim/rules/phrases.h"

namespace sim::hazards::early_phase {

namespace {

/// "The thread waited for phase 2 (parity 0) of the mbarrier, but what it reads arrives in phase 3 (parity 1)."
std::string asked_for(const Conflict& conflict, uint32_t meant) {
    const PhaseWait& wait = conflict.phase_wait();
    const std::string right = phase_text(meant), barrier = conflict.barrier(wait.barrier);
    if (wait.before_first())
        return fmt::format("The thread waited for parity 1 before any phase of {} had completed; on "
                           "a new barrier that wait returns at once. The bytes that it reads arrive in {}.",
                           barrier, right);
    if (meant == wait.phase)
        return fmt::format("The thread waited for {}, but that phase completed before the arrival "
                           "that follows these bytes: more threads arrive than mbarrier.init counts.",
                           right);
    return fmt::format("The thread waited for {} of {}{}, but the bytes that it reads arrive in {}.",
                       phase_text(wait.phase), barrier, wait.again ? ", for which it had already waited" : "", right);
}

/// What to do about it, where the rule's own remedy (what mbarrier.init counts) would mislead.
std::string to_ask_for(const PhaseWait& wait) {
    return wait.before_first() || wait.again ? "Wait for the phases in turn: parity 0 for the first "
                                               "phase of a barrier, 1 for the second, 0 for the third."
                                             : "";
}

Explanation nothing_written(const Conflict& conflict) {
    const PhaseWait& wait = conflict.phase_wait();
    const std::string barrier = conflict.barrier(wait.barrier);
    return {
        .action = "read shared memory that nothing had written",
        .message = wait.before_first()
                       ? fmt::format("The thread waited for parity 1 before any phase of {} had completed; on a new "
                                     "barrier that wait returns at once. No thread had written these bytes by then.",
                                     barrier)
                       : fmt::format("The thread waited for {} of {}, but that "
                                     "phase completed before any thread had written these bytes.",
                                     phase_text(wait.phase), barrier),
        .remedy = to_ask_for(wait),
        .also = {{wait.pc, "the wait"}},
    };
}

Explanation bulk_copy(const Conflict& conflict, const BulkOp& op) {
    const PhaseWait& wait = conflict.phase_wait();
    if (wait.again || wait.before_first())
        return {
            .action = in_flight(conflict),
            .other_action = issued(op),
            .message = asked_for(conflict, op.landed ? op.phase : op.issued_in),
            .remedy = to_ask_for(wait),
            .also = {{wait.pc, "the wait"}},
        };
    const std::string waited =
        fmt::format("The thread waited for {} of {}", phase_text(wait.phase), conflict.barrier(wait.barrier));
    return {
        .action = in_flight(conflict),
        .other_action = issued(op),
        .message = op.landed ? fmt::format("{}, but the {} completed in phase {}: it writes {} bytes, "
                                           "and the barrier expected {} when they arrived.",
                                           waited, noun(op), op.phase, op.bytes, std::max<int64_t>(op.expected, 0))
                             : fmt::format("{}, but that phase completed before the bytes of this {} had arrived.",
                                           waited, noun(op)),
        .remedy = "Expect all bytes of a phase (mbarrier.arrive.expect_tx) before its "
                  "last arrival, and wait for the phase that these bytes belong to.",
        .also = {{wait.pc, "the wait"}},
    };
}

/// The phase was over too soon because more threads arrive than it counts: that is the cause.
Explanation counted(const Conflict& conflict, const ArrivalCount& count, Explanation text) {
    const PhaseWait& wait = conflict.phase_wait();
    text.message = fmt::format("The thread waited for {} of {}, but {}.", phase_text(wait.phase),
                               conflict.barrier(wait.barrier), hazards::text(count));
    text.remedy = "Pass mbarrier.init the number of all arrivals of one phase.";
    text.also.emplace_back(count.init_pc, "the count");
    return text;
}

std::optional<Explanation> explained(const Facts& facts) {
    const auto* conflict = facts.as<Conflict>();
    if (!conflict)
        return std::nullopt;
    const PhaseWait& wait = conflict->phase_wait();
    if (conflict->undefined() && wait.barrier && conflict->shared())
        return nothing_written(*conflict);
    const auto& later = conflict->later_phase();
    if (!later || later->overrun)
        return std::nullopt;
    if (const BulkFacts* bulk = conflict->bulk())
        return bulk_copy(*conflict, *bulk->op);
    const bool copied = conflict->copy();
    return Explanation{
        .action = copied ? in_flight(*conflict) : "read shared memory that another thread wrote",
        .other_action = copied ? issued(*conflict->copy()) : "wrote it",
        .message = asked_for(*conflict, later->phase),
        .remedy = to_ask_for(wait),
        .also = {{later->pc, copied ? "the arrival that tracks the copy" : "the writer's arrival"},
                 {wait.pc, "the wait"}},
    };
}

std::optional<Explanation> explain(const Facts& facts) {
    auto text = explained(facts);
    if (!text)
        return std::nullopt;
    const auto& conflict = *facts.as<Conflict>();
    const PhaseWait& wait = conflict.phase_wait();
    if (wait.again || wait.before_first())
        return text;
    const auto count = conflict.too_many_arrive(wait.barrier);
    return count ? counted(conflict, *count, std::move(*text)) : text;
}

} // namespace

extern const Rule rule;
const Rule rule{
    .name = "early-phase",
    .title = "A phase of an mbarrier completes before all of its data has arrived",
    .why = "A wait for a phase of an mbarrier orders a thread after the arrivals and the bytes of "
           "that phase, and after no others. If the barrier expects fewer arrivals than there are "
           "writers, or fewer bytes than are copied, or if a thread arrives before its data is "
           "written, the phase completes while some of that data is still missing. A wait for the "
           "wrong parity has the same effect, because the phase it names is already complete.",
    .remedy = "Pass mbarrier.init the number of threads that arrive in a phase, "
              "expect all of its bytes, and arrive only after the data is written.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#contents-of-the-mbarrier-object",
    .explain = explain,
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
    .right = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[32];

__global__ void add_pairs() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t filled;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&filled, 64);
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
};

} // namespace sim::hazards::early_phase
