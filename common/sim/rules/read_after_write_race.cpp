#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// The writer's flag has been seen, and nothing orders its store before the flag.
Explanation raised_too_soon(const Conflict& conflict, const Conflict::RaisedFlag& flag) {
    const uint32_t line = conflict.kernel_line(flag.pc);
    const char* const fence = flag.same_block ? "__threadfence_block()" : "__threadfence()";
    return {
        .action = fmt::format("read {} memory that another thread wrote", conflict.memory()),
        .other_action = "wrote it",
        .message = fmt::format("{} raised {}{} before its stores were ordered: a thread that sees the flag may not see "
                               "them yet.",
                               flag.same_block ? "A thread" : "T" + flag.thread.substr(1),
                               flag.name.empty() ? "the flag" : flag.name,
                               line ? fmt::format(" at line {}", line) : std::string()),
        .remedy =
            fmt::format("Put {} before the operation that raises the flag (or give it release semantics), and one "
                        "after the operation that sees it (or give that acquire semantics).",
                        fence),
        .also = {{flag.pc, "raised the flag"}, {flag.seen_pc, "saw it"}},
        .severity = conflict.volatile_value ? Severity::warning : Severity::error,
    };
}

/// The flag of another thread has been seen: that thread and the writer have not met in between.
Explanation raised_by_another(const Conflict& conflict, const Conflict::RaisedFlag& flag) {
    const uint32_t line = conflict.kernel_line(flag.pc);
    const bool in_warp = conflict.other_warp() && conflict.other_warp() == &conflict.warp;
    return {
        .action = fmt::format("read {} memory that another thread wrote", conflict.memory()),
        .other_action = "wrote it",
        .message = fmt::format("{} raised {}{}, but another thread wrote these bytes, and the two have not met in "
                               "between: the flag says nothing about them.",
                               "T" + flag.thread.substr(1), flag.name.empty() ? "the flag" : flag.name,
                               line ? fmt::format(" at line {}", line) : std::string()),
        .remedy = fmt::format("Put {} between the writes and the operation that raises the flag, and {} "
                              "before that operation.",
                              in_warp ? "__syncwarp()" : "__syncthreads()",
                              flag.same_block ? "__threadfence_block()" : "__threadfence()"),
        .also = {{flag.pc, "raised the flag"}, {flag.seen_pc, "saw it"}},
        .severity = conflict.volatile_value ? Severity::warning : Severity::error,
    };
}

/// A volatile read takes what another thread has stored by a volatile write.
Explanation no_wait(const Conflict& conflict) {
    const bool in_warp = conflict.other_warp() == &conflict.warp;
    return {
        .action = fmt::format("read {} memory that another thread wrote", conflict.memory()),
        .other_action = "wrote it",
        .message =
            fmt::format("Both accesses are volatile, so they do not race, but volatile does not make {} wait for each "
                        "other: nothing orders the write before this read.",
                        in_warp ? "the lanes of a warp" : "threads"),
        .remedy = in_warp ? "Put __syncwarp() between the write and the read (and between the read and the next write)."
                          : order_the_two(conflict, "Put a barrier (__syncthreads()) between them."),
        .severity = Severity::warning,
    };
}

} // namespace

const Rule rule::read_after_write_race{
    .name = "read-after-write-race",
    .title = "A read is not ordered after the write whose value it needs",
    .why = R"(Threads of a block, and even the lanes of a warp, run independently of each other. Unless a barrier, an
        mbarrier phase, or a release and acquire pair orders the write before the read, the read may see the old
        value. The lanes of a warp often run in lockstep, but that orders nothing.)",
    .remedy = R"(Put a barrier between the write and the read (__syncthreads(), or __syncwarp() within a warp, or
        cluster.sync() between the blocks of a cluster).)",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#memory-consistency-model",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto early = early_read(facts); early && !early->by_copy())
            return read_before_the_write(*early);
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk();
            bulk && bulk->stage == BulkFacts::Stage::overtaken && !conflict->other_wrote)
            return Explanation{
                .action = "read bytes that another thread wrote",
                .other_action = "wrote it",
                .message = "Nothing orders the write before this copy.",
                .remedy =
                    "Execute fence.proxy.async in each writer, and put a barrier between these fences and the copy.",
                .reversed = true,
            };
        if (!conflict->ordinary() || !conflict->other_wrote || conflict->writes())
            return std::nullopt;
        if (const auto flag = conflict->raised_flag(); flag && !conflict->learned_relaxed())
            return flag->unmet ? raised_by_another(*conflict, *flag) : raised_too_soon(*conflict, *flag);
        if (conflict->volatile_value)
            return no_wait(*conflict);
        return Explanation{
            .action = fmt::format("{} {} memory that another thread wrote",
                                  conflict->role == Role::load ? "read" : "copied from", conflict->memory()),
            .other_action = "wrote it",
            .message = "Nothing orders the write before this read.",
            .remedy = order_the_two(*conflict,
                                    "Put a barrier (__syncthreads(), or __syncwarp() within a warp) between them."),
        };
    },
    .suspected = {{"mbarrier.t", 2}, {"mbarrier.arrive", 5}, {"bar", 1}, {"fence", 3}, {"", 1}},
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    // wrong: nothing orders thread 63 - i's store before this thread's load
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: nothing orders thread 63 - i's store before this thread's load
+    __syncthreads();
)",
};

} // namespace sim::hazards
