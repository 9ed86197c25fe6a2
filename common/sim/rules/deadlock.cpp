#include <fmt/format.h>

#include "sim/rules/library_words.h"
#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

Explanation waits_first(const ProducerWaitsFirst& first) {
    return {
        .action = first.by_parity ? "waited for parity 0 before filling anything" : "waited before filling anything",
        .other_action = "waited for that first, and would arrive only afterwards",
        .message = fmt::format(
            "Since its initialisation, {} has been in {}, and {} has arrived on it: the threads "
            "that would arrive wait for {} first, which only the producer completes.{}\n{}",
            first.barrier, phase_text(0, first.by_parity), first.arrived_itself ? "only the producer" : "no thread",
            first.awaited,
            !first.by_parity
                ? ""
                : " The phase before the first counts as complete, so a wait for parity 1 would return at once.",
            first.what),
        .remedy = !first.by_parity || first.arrived_itself
                      ? "The buffers are free at first: let the consumers arrive on the barrier of each buffer once "
                        "before their loop, or let the producer skip the wait in its first lap."
                      : "Start the producer with the opposite parity: let it wait for parity 1 in its first lap over "
                        "the buffers, then for 0, 1, … The consumers start with parity 0.",
        .also = {{first.init_pc, "initialised here"}},
    };
}

/// In the words of cuda::pipeline, if the wait is one of its; false: it is not.
bool of_pipeline(Explanation& text, std::string_view call, const std::string& what) {
    if (is_producer_acquire(call)) {
        text.message = fmt::format("producer_acquire waits until the consumers have released the stage: "
                                   "consumer_release is missing, or fewer threads call it than the pipeline has "
                                   "consumers.\n{}",
                                   what);
        text.remedy = "Let every thread that is a consumer of the pipeline call consumer_release once for each "
                      "consumer_wait, after its last read of the stage.";
        return true;
    }
    if (is_consumer_wait(call)) {
        text.message = fmt::format("consumer_wait waits until the producers have committed the stage and its copies "
                                   "are complete: producer_commit is missing, or fewer threads call it than the "
                                   "pipeline has producers.\n{}",
                                   what);
        text.remedy = "Let every thread that is a producer of the pipeline call producer_commit once for each "
                      "producer_acquire, and let the consumers wait for as many stages as the producers fill.";
        return true;
    }
    return false;
}

bool overrun_of_pipeline(const PhasesOverrun& over, Explanation& text) {
    const bool releases = is_producer_acquire(over.call);
    if (!releases && !is_consumer_wait(over.call))
        return false;
    text.message = releases ? "The consumers have released this stage more often than the producers have acquired it: "
                              "a consumer_release without its consumer_wait frees a stage that nothing has filled."
                            : "The producers have committed this stage more often than the consumers have waited for "
                              "it: a producer_commit without its producer_acquire fills a stage that is still in use.";
    text.message += "\n" + over.what;
    text.remedy = releases ? "Call consumer_wait before the first read of each stage, and consumer_release once after "
                             "the last one."
                           : "Call producer_acquire before the copies of each stage, and producer_commit once after "
                             "them.";
    return true;
}

Explanation overrun(const PhasesOverrun& over) {
    Explanation text{
        .action = "waited for the next one",
        .message = fmt::format(
            "Phases {} to {} of {} are over, and no thread has waited for them: the barrier counts {} "
            "arrival{} in a phase, and {} have been made.\n{}",
            over.first, over.last, over.barrier, over.count, over.count == 1 ? "" : "s", over.made, over.what),
        .remedy = "Let each thread that mbarrier.init counts arrive once in a phase, with a count of 1, and only after "
                  "it has waited for what the other side provides in that phase.",
        .also = {{over.init_pc, "initialised here"}},
    };
    overrun_of_pipeline(over, text);
    for (const uint32_t pc : over.pcs)
        if (pc == over.pcs.front() && over.pcs.size() == 1)
            text.cause = {pc, fmt::format("{} arrived here more often than other threads waited", over.arrived.text())};
        else
            text.also.emplace_back(pc, fmt::format("{} arrived on it", over.arrived.text()));
    return text;
}

Explanation hopeless_barrier(const HopelessWait& wait) {
    Explanation text{
        .action = "waited here, and the others can never come",
        .other_action = "stopped somewhere else, from where no way leads to that barrier",
        .message = fmt::format("Barrier {}{} counts {} threads, and {} of them {} missing.", wait.id,
                               wait.id == 0 && wait.whole_block ? " (__syncthreads())" : "", wait.count, wait.missing,
                               wait.missing == 1 ? "is" : "are"),
    };
    const bool left_out = wait.exited && !wait.whole_block;
    if (left_out)
        text.message += fmt::format(" {} threads of the block have exited: they do not count as arrived at a barrier "
                                    "with an explicit count.",
                                    wait.exited);
    else if (wait.exited)
        text.message += fmt::format(" {} threads of the block have exited.", wait.exited);
    if (wait.elsewhere_pc)
        text.message += " No other thread that is left can come to it: where they wait, no way leads there.";
    else
        text.message += " No other thread of the block is left.";
    text.message += "\n" + wait.what;
    text.remedy = wait.whole_block ? "Let every thread of the block come to the barrier, or give the threads that meet "
                                     "here a named barrier of their own (bar.sync ID, COUNT) with their number as its "
                                     "count."
                  : left_out
                      ? "Pass bar.sync the number of threads that still come as its count, let the others arrive "
                        "(bar.arrive with the same count) before they exit, or use __syncthreads(), which "
                        "does not wait for threads that have exited."
                      : "Pass bar.sync the number of threads that come to this barrier as its count, and "
                        "the same barrier number for all of them.";
    return text;
}

Explanation hopeless(const HopelessWait& wait) {
    if (wait.what_for == HopelessWait::For::block_barrier)
        return hopeless_barrier(wait);
    Explanation text{.action = "waited here, and no thread is left to arrive"};
    if (!of_pipeline(text, wait.call, wait.what)) {
        text.message = fmt::format("The phase of {} lacks {} of {} arrival{}, and no thread that is left can still "
                                   "arrive on it.\n{}",
                                   wait.barrier, wait.missing, wait.count, wait.count == 1 ? "" : "s", wait.what);
        text.remedy = wait.arrived.empty()
                          ? "Let the threads that this wait is for arrive on the barrier, or do not wait."
                          : "Let the threads that arrived in earlier phases arrive once more, or let this thread wait "
                            "less often: as many phases as there are.";
    }
    return text;
}

Explanation skipped(const SkippedArrival& one) {
    Explanation text{
        .action = "waited for it",
        .other_action = "came here without having arrived on it",
        .cause = {one.arrive_pc, fmt::format("{} arrived here on {}", one.arrived.text(), one.barrier)},
    };
    if (of_pipeline(text, one.call, one.what))
        return text;
    constexpr const char* single = "Phase {} of {} lacks {} of {} arrivals: {} has not arrived in it, but waits for {} "
                                   "together with the threads that have.\n{}";
    constexpr const char* several =
        "Phase {} of {} lacks {} of {} arrivals: {} have not arrived in it, but wait for {} "
        "together with the threads that have.\n{}";
    const std::string threads = one.skipped.text();
    text.message = fmt::format(fmt::runtime(threads.starts_with("thread ") ? single : several), one.phase, one.barrier,
                               one.missing, one.count, threads, one.awaited, one.what);
    text.remedy = "Let every thread that the barrier counts arrive once in each phase, whatever branch it takes, or "
                  "count only those that do.";
    return text;
}

Explanation stuck(const StuckPhase& phase) {
    using Why = StuckPhase::Why;
    Explanation text{.action = "waited for it", .message = phase.what};
    const std::string count =
        fmt::format("{} counts {} arrival{} in a phase", phase.barrier, phase.count, phase.count == 1 ? "" : "s");
    switch (phase.why) {
    case Why::arrivals:
        text.cause = {phase.init_pc, count};
        for (const uint32_t pc : phase.pcs)
            text.also.emplace_back(pc, fmt::format("{} arrived on it", phase.arrived.text()));
        if (of_pipeline(text, phase.call, phase.what))
            break;
        text.message = fmt::format("A phase of {} counts {} arrival{}, and only {} {} arrived: no other thread that is "
                                   "left can.\n{}",
                                   phase.barrier, phase.count, phase.count == 1 ? "" : "s", phase.arrived.text(),
                                   phase.arrived.text().starts_with("thread ") ? "has" : "have", phase.what);
        text.remedy = is_barrier_object(phase.call)
                          ? "Pass init() the number of arrivals that one phase gets, or let the threads that it counts "
                            "arrive."
                          : "Pass mbarrier.init the number of arrivals that one phase gets, or let the threads that it "
                            "counts arrive.";
        break;
    case Why::bytes:
        if (phase.pcs.size() == 1)
            text.cause = {phase.pcs.front(), fmt::format("announced {} bytes", phase.announced)};
        text.message = fmt::format("{} bytes were announced in this phase of {}, {} of them have not arrived, and no "
                                   "copy that completes on it is in flight.\n{}",
                                   phase.announced, phase.barrier, phase.missing, phase.what);
        text.remedy = phase.multicast
                          ? "Announce in each block as many bytes as all multicast copies write into that block, its "
                            "peers' too, and let the mask of each copy name every block that waits for it."
                          : "Announce as many bytes as the copies of one phase write. Each thread that executes "
                            "expect_tx adds its bytes.";
        break;
    case Why::no_arrival:
        text.cause = {phase.init_pc, count};
        text.message =
            fmt::format("Copies complete on {}, but no thread has arrived on it in this phase: neither a copy "
                        "nor mbarrier.expect_tx is an arrival.\n{}",
                        phase.barrier, phase.what);
        text.remedy = "Let a thread of each block that receives bytes announce them and arrive on the mbarrier of that "
                      "block (mbarrier.arrive.expect_tx).";
        break;
    }
    return text;
}

/// "0, 1"
std::string ranks_text(uint32_t ranks) {
    std::string text;
    for (uint32_t rank = 0; rank < 16; ++rank)
        if (ranks >> rank & 1)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
    return text;
}

/// The commit that should have completed the phase arrives somewhere else.
Explanation blaming(const CommitBeside& commit, Explanation text) {
    if (!commit.pc)
        return text;
    if (text.cause.first)
        text.also.insert(text.also.begin(), text.cause);
    text.cause = {commit.pc,
                  fmt::format("this tcgen05.commit arrives only in blocks of rank {}", ranks_text(commit.ranks))};
    text.message = fmt::format("Threads of the block of rank {} wait for their mbarrier of the same place, on which "
                               "the commit does not arrive. ",
                               commit.rank) +
                   text.message;
    text.remedy = "Use .multicast::cluster with a ctaMask that has the bit of each block whose threads wait for the "
                  "commit: for both blocks of a pair, 3 << (rank & ~1), with the rank %cluster_ctarank.";
    return text;
}

Explanation stuck_in_another_order(const OrderFault& fault) {
    return {
        .action = "waited here, and waits for ever if the warps run in another order",
        .message = fmt::format("This run came to its end, but the barriers allow an order in which no thread can make "
                               "progress:{}\nThat order:{}",
                               fault.waiting, fault.order),
        .remedy = "Make each warp wait for whatever has to come before its arrival, or give each pair of roles a "
                  "barrier of its own whose count is the number of threads that meet there.",
    };
}

Explanation registers_released_too_late(const OrderFault& fault) {
    return {
        .action = "asked for registers that other warps release only after something that waits for this",
        .message = fmt::format("On the simulated device no warp waits for registers, so this run came to its end. On a "
                               "GPU, setmaxnreg.inc waits until other warps of the block have released enough of them, "
                               "and no thread can make progress:{}",
                               fault.waiting),
        .remedy = "Let the other role execute setmaxnreg.dec before it waits for anything that comes after this "
                  "setmaxnreg.inc: each role changes its registers first.",
    };
}

} // namespace

const Rule rule::deadlock{
    .name = "deadlock",
    .symptom = true,
    .title = "No thread can make progress",
    .why = R"(Every remaining thread waits for something that will never happen: arrivals at a barrier, a phase of an
        mbarrier, or bytes that no copy delivers. On a GPU the kernel hangs. The report lists where each thread waits,
        for what, and what is missing. The usual causes are an arrival count that is too large, a stage that no
        consumer releases, the wrong parity, and an expect_tx of more bytes than are copied. mbarrier.expect_tx alone
        is not an arrival. Warps that ask for more registers than the block has (setmaxnreg.inc) wait for ever, too.)",
    .remedy = R"(Compare the number of arrivals and bytes that each barrier expects with those that the kernel
        provides in a phase.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* registers = facts.as<events::RegistersMissing>())
            return Explanation{
                .action = "asked for registers that no other warp releases",
                .message =
                    fmt::format("After their last setmaxnreg, the warps of the block want {} registers together, "
                                "but the {} threads of the block cannot have been launched with more than {} each, "
                                "which makes {}. On a GPU, setmaxnreg.inc waits for ever.",
                                registers->wanted, registers->threads, registers->per_thread,
                                uint64_t{registers->per_thread} * ((registers->threads + 31) / 32 * 32)),
                .remedy = "Ask for fewer registers here, or let other warps release more (setmaxnreg.dec).",
            };
        if (const auto* first = facts.as<ProducerWaitsFirst>())
            return waits_first(*first);
        if (const auto* phase = facts.as<StuckPhase>())
            return blaming(phase->commit, stuck(*phase));
        if (const auto* over = facts.as<PhasesOverrun>())
            return overrun(*over);
        if (const auto* wait = facts.as<HopelessWait>())
            return blaming(wait->commit, hopeless(*wait));
        if (const auto* one = facts.as<SkippedArrival>())
            return skipped(*one);
        if (const auto* order = facts.as<OrderFault>(); order && order->what == OrderFault::What::deadlock)
            return stuck_in_another_order(*order);
        if (const auto* order = facts.as<OrderFault>(); order && order->what == OrderFault::What::registers)
            return registers_released_too_late(*order);
        const auto* stop = facts.stopped(events::Stopped::Why::deadlock);
        if (!stop)
            return std::nullopt;
        Explanation text{.action = "stopped here", .message = stop->what};
        if (stop->of == events::Stopped::Of::lock_in_warp) {
            text.action = "ask for a lock that a lane of their warp holds while it waits for them";
            text.remedy =
                "A lane that holds a lock must not wait for lanes of its warp that may ask for the same lock. Do "
                "the work and release the lock within the branch of the lane that has got it, and synchronise "
                "the warp after the loop.";
        }
        if (stop->of == events::Stopped::Of::flag) {
            text.action = "asks again and again for a value that no thread will change";
            text.remedy = "Let the thread that this loop waits for store the value before it ends or waits itself. If "
                          "blocks wait for each other, launch no more than run at the same time "
                          "(cudaLaunchCooperativeKernel refuses more).";
        }
        if (stop->of == events::Stopped::Of::grid_barrier) {
            text.action = "waits at the grid barrier, to which other blocks do not come";
            text.remedy = "Let every block of the grid call grid.sync(), all equally often: a block that has ended or "
                          "takes another branch never arrives.";
        }
        return text;
    },
    .suspected = {{"cp.async.bulk.commit", 4},
                  {"cp.async.commit", 4},
                  {"cp.async.mbarrier.arrive", 2},
                  {"mbarrier.t", 6},
                  {"mbarrier.arrive.expect_tx", 1},
                  {"mbarrier.expect_tx", 1},
                  {"mbarrier.arrive", 1},
                  {"bar", 8},
                  {"fence.mbarrier_init", 4},
                  {"", 4}},
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&barrier, 65); // wrong: 64 threads arrive
    __syncthreads();
    tile[i] = in[i];
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_try_wait(&barrier, token, 1000)) {
    }
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        __mbarrier_init(&barrier, 65); // wrong: 64 threads arrive
+        __mbarrier_init(&barrier, 64);
)",
};

} // namespace sim::hazards
