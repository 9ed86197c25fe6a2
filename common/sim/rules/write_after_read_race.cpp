#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::write_after_read_race{
    .name = "write-after-read-race",
    .title = "A write is not ordered after a read of the same bytes",
    .why = R"(A buffer that is reused needs two barriers per round: one after it is filled, and one after it has been
        read. Without the second one, a fast thread stores the next value while a slow thread still reads the previous
        one.)",
    .remedy = R"(Put a barrier between the last read and the write (__syncthreads(), or cluster.sync() between the
        blocks of a cluster).)",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#memory-consistency-model",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->ordinary() || conflict->volatile_value || conflict->early_read())
            return std::nullopt;
        const char* remedy = order_the_two(
            *conflict,
            "Put a barrier (__syncthreads()) between the last read and the first write that reuses the buffer.");
        if (!conflict->other_wrote)
            return conflict->role == Role::store || conflict->role == Role::atomic
                       ? std::optional(Explanation{
                             .action = fmt::format("wrote {} memory that another thread may still have been reading",
                                                   conflict->memory()),
                             .other_action = "read it",
                             .message = "Nothing orders that read before this write.",
                             .remedy = remedy,
                         })
                       : std::nullopt;
        if (conflict->role != Role::load)
            return std::nullopt;
        if (conflict->later_phase())
            return overrun(*conflict, "wrote shared memory that another thread may still have been reading");
        if (!conflict->meant_first() || conflict->volatile_value || conflict->raised_flag())
            return std::nullopt;
        return Explanation{
            .action = fmt::format("wrote {} memory that another thread had yet to read", conflict->memory()),
            .other_action = "read it",
            .message = "Nothing orders that read before this write. In this run the write came first.",
            .remedy = remedy,
            .reversed = true,
        };
    },
    .suspected = {{"bar", 2}, {"", 2}},
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void rotate() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    const int next = tile[(i + 1) % 64];
    tile[i] = next; // wrong: thread i - 1 may not have read tile[i] yet
    __syncthreads();
    out[i] = tile[63 - i];
}

int main() {
    rotate<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    tile[i] = next; // wrong: thread i - 1 may not have read tile[i] yet
+    __syncthreads();
+    tile[i] = next;
)",
};

} // namespace sim::hazards
