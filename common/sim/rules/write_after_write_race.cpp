#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::write_after_write_race{
    .name = "write-after-write-race",
    .title = "Two writes to the same bytes are not ordered",
    .why = R"(If two threads store different values to the same bytes and nothing orders the stores, either value may
        remain, and the next run may leave the other one.)",
    .remedy = "Order the two writes, let one thread write, or use an atomic operation.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#memory-consistency-model",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->ordinary() || !conflict->other_wrote || !conflict->writes())
            return std::nullopt;
        const bool copies = conflict->role == Role::copy_destination || conflict->async();
        return Explanation{
            .action = copies ? "copied into bytes that another thread wrote"
                             : fmt::format("wrote {} memory that another thread wrote", conflict->memory()),
            .other_action = "wrote it, too",
            .message = "Nothing orders the two writes, so it is undefined which value remains.",
            .remedy = conflict->shared() && conflict->apart() == Apart::in_cluster ? order_in_cluster : "",
        };
    },
    .wrong = R"cuda(__device__ int in[64], last;

__global__ void find_last_zero() {
    const int i = threadIdx.x;
    if (in[i] == 0)
        last = i; // wrong: the last thread to store is not the one with the largest i
}

int main() {
    find_last_zero<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        last = i; // wrong: the last thread to store is not the one with the largest i
+        atomicMax(&last, i);
)",
};

} // namespace sim::hazards
