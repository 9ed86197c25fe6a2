#include <fmt/format.h>

#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::named_barrier{
    .name = "named-barrier",
    .title = "A named barrier has a number or a thread count that it cannot have",
    .why =
        R"(A block has 16 barriers, 0 to 15; __syncthreads() is barrier 0. bar.sync and bar.arrive name one and say how
        many threads it counts in a phase: a multiple of 32, the same for all threads of the phase, and no more than the
        block has. With another number the behaviour is undefined, and with a count that never fits the threads wait for
        ever.)",
    .remedy = "Pass a number from 0 to 15, and for all threads of a phase the same count: how many of them arrive.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-bar",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* few = facts.as<NamedCountTooSmall>())
            return Explanation{
                .message = fmt::format("Barrier {} counts {} threads, but {} come to it ({}): it goes on with "
                                       "whichever {} are there first, and the others do not meet them.",
                                       few->id, few->count, few->threads, few->users.text(), few->count),
                .remedy = fmt::format("If all {} threads have to meet, pass {} as the count; if groups of {} do, give "
                                      "each group a barrier number of its own.",
                                      few->threads, few->threads, few->count),
                .cause = {few->pc, fmt::format("counts {} threads, and {} come to it", few->count, few->threads)},
            };
        const auto* wrong = facts.as<events::NamedBarrierWrong>();
        if (!wrong)
            return std::nullopt;
        using Part = events::NamedBarrierWrong::Part;
        Explanation text{.action = fmt::format("executed bar with named barrier {}", wrong->id)};
        switch (wrong->part) {
        case Part::number:
            text.message = fmt::format("Barrier {} does not exist: a block has barriers 0 to 15.", wrong->id);
            break;
        case Part::count:
            text.message =
                fmt::format("Barrier {} for {} threads: the count must be a multiple of 32.", wrong->id, wrong->count);
            break;
        case Part::counts_differ:
            text.message =
                fmt::format("Barrier {} counts {} threads here, and {} threads for those that have arrived at it in "
                            "the same phase.",
                            wrong->id, wrong->count, wrong->other);
            break;
        case Part::beyond_block:
            text.message = fmt::format("Barrier {} counts {} threads, and the block has {}: it can never be complete.",
                                       wrong->id, wrong->count, wrong->other);
            break;
        }
        return text;
    },
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    asm volatile("bar.sync %0, 64;" ::"r"(16) : "memory"); // wrong: the last barrier is number 15
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    asm volatile("bar.sync %0, 64;" ::"r"(16) : "memory"); // wrong: the last barrier is number 15
+    asm volatile("bar.sync %0, 64;" ::"r"(15) : "memory");
)",
};

} // namespace sim::hazards
