#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// Two atomic operations of different blocks, one of which is atomic in its own block only.
Explanation not_atomic(const Conflict& conflict) {
    const bool here = conflict.narrow_pc == conflict.pc, both = here && conflict.other_pc == conflict.pc;
    return {
        .action = fmt::format("updated {} memory that a thread of another block updated", conflict.memory()),
        .other_action = "updated it, too",
        .message =
            fmt::format("{} .cta scope (atomicAdd_block() and the like have it): it is atomic for the threads of "
                        "its own block only, and the other thread is in another one.",
                        both   ? "This operation has"
                        : here ? "The first of these operations has"
                               : "The second of these operations has"),
        .remedy = "Use an operation of device scope: atomicAdd() instead of atomicAdd_block(), "
                  "cuda::thread_scope_device, .gpu.",
    };
}

/// A release and an acquire, one of which takes effect in its own block only.
Explanation no_edge(const Conflict& conflict) {
    using Part = WarpClock::NarrowEdge::Part;
    const WarpClock::NarrowEdge& narrow = conflict.warp.clock.narrow;
    Explanation text{
        .action = fmt::format("read {} memory that a thread of another block wrote", conflict.memory()),
        .other_action = "wrote it",
        .severity = conflict.volatile_value ? Severity::warning : Severity::error, // two volatile accesses do not race
    };
    const auto add = [&](uint32_t pc, const char* what) {
        if (pc)
            text.also.emplace_back(pc, what);
    };
    const auto line = [&](const char* what) {
        const uint32_t at = conflict.kernel_line(narrow.pc);
        return at ? fmt::format("{} at line {}", what, at) : std::string(what);
    };
    switch (narrow.part) {
    case Part::release:
        text.message = "The writer released the bytes and this thread acquired them, but the release "
                       "has .cta scope, which takes effect only among the threads of one block.";
        add(narrow.release_pc, "the release");
        add(narrow.acquire_pc, "the acquire");
        break;
    case Part::fence_before:
        text.message = fmt::format("{} orders for its own block only; the reader is in another one.",
                                   line("__threadfence_block()"));
        text.remedy = "Use __threadfence() instead, or a fence of .gpu scope.";
        add(narrow.pc, "the writer's fence");
        add(narrow.acquire_pc, "the reader saw the flag");
        break;
    case Part::acquire:
        text.message =
            fmt::format("The writer released the bytes for the whole device, but {} has .cta scope, which takes "
                        "effect only among the threads of one block; the writer is in another one.",
                        line("the load that sees it"));
        add(narrow.release_pc, "the release");
        add(narrow.pc, "the acquire");
        break;
    case Part::fence_after:
        text.message = fmt::format("{} orders for its own block only; the writer is in another one.",
                                   line("__threadfence_block()"));
        text.remedy = "Use __threadfence() instead, or a fence of .gpu scope.";
        add(narrow.pc, "the reader's fence");
        break;
    }
    return text;
}

/// A thread of the writer's block has raised a flag behind a fence that takes effect in that block only.
Explanation fence_of_the_block(const Conflict& conflict, const Conflict::RaisedFlag& flag) {
    const uint32_t line = conflict.kernel_line(flag.block_fence_pc);
    const std::string fence = "__threadfence_block()";
    return {
        .action = fmt::format("read {} memory that a thread of another block wrote", conflict.memory()),
        .other_action = "wrote it",
        .message = fmt::format("{} orders for its own block only; the reader is in another one.",
                               line ? fmt::format("{} at line {}", fence, line) : fence),
        .remedy = "Use __threadfence() instead, or a fence of .gpu scope.",
        .also = {{flag.block_fence_pc, "the writer's fence"}, {flag.seen_pc, "the reader saw the flag"}},
        .severity = conflict.volatile_value ? Severity::warning : Severity::error,
    };
}

} // namespace

const Rule rule::scope_too_narrow{
    .name = "scope-too-narrow",
    .title = "The scope of an operation does not include the thread it synchronises with",
    .why = R"(A release, an acquire, a fence and an atomic operation each have a scope: the set of threads for which
        they take effect. The scope .cta is the block of the executing thread. Such an operation orders nothing for a
        thread of another block, even if that thread happens to see the value. An arrival on an mbarrier that names no
        scope has .cta scope.)",
    .remedy = "Use .gpu (or .cluster) scope: cuda::thread_scope_device in C++, or __threadfence().",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#scope",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* map = facts.as<MapUnready>(); map && map->why == MapUnready::Why::release_too_narrow)
            return Explanation{
                .action = "used a tensor map in global memory",
                .other_action = "modified the map",
                .message =
                    "The map was released with .cta scope, which takes effect only in the block that modified it. "
                    "This is another block.",
            };
        if (const auto* narrow = facts.as<NarrowArrival>())
            return Explanation{
                .action = fmt::format("read {} memory that a thread of another block wrote",
                                      narrow->shared ? "shared" : "global"),
                .other_action = "wrote it",
                .message =
                    "Only the writer's arrival on this block's mbarrier orders the two, and that arrival has .cta "
                    "scope, the default: it makes the writes visible to the writer's own block only.",
                .remedy = "Arrive with mbarrier.arrive.release.cluster, and wait with .acquire.cluster.",
                .also = {{narrow->arrive_pc, "the arrival"}, {narrow->wait_pc, "the wait"}},
                .severity = Severity::warning,
            };
        const auto* conflict = facts.as<Conflict>();
        if (conflict && conflict->narrow_pc)
            return not_atomic(*conflict);
        if (!conflict || !conflict->ordinary() || !conflict->other_wrote || conflict->role != Role::load ||
            conflict->later_phase())
            return std::nullopt;
        if (conflict->scope_too_narrow())
            return no_edge(*conflict);
        if (conflict->apart() == Apart::in_block || conflict->learned_relaxed())
            return std::nullopt;
        const auto flag = conflict->raised_flag();
        return flag && !flag->unmet && flag->block_fence_pc ? std::optional(fence_of_the_block(*conflict, *flag))
                                                            : std::nullopt;
    },
    .suspected = {{"fence.mbarrier_init", 3}, {"fence", 5}, {"", 3}},
    .wrong = R"cuda(#include <cuda/atomic>

__device__ int data, flag, out;

__global__ void pass() {
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag); // the other block is outside this scope
    if (blockIdx.x == 0) {
        data = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
        out = data;
    }
}

int main() {
    pass<<<2, 1>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag); // the other block is outside this scope
+    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
)",
};

} // namespace sim::hazards
