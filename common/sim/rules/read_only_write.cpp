#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::read_only_write{
    .name = "read-only-write",
    .title = "A kernel writes constant or parameter memory",
    .why = R"(Constant memory and kernel parameters must not change while a kernel runs, because the hardware caches
        them as read-only. Between launches the host can change __constant__ variables with cudaMemcpyToSymbol.)",
    .remedy = "Write to global or shared memory instead.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#constant",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* stop = facts.stopped(events::Stopped::Why::read_only_memory);
        if (!stop)
            return std::nullopt;
        return Explanation{.action = "stopped here", .message = stop->what};
    },
    .wrong = R"cuda(__constant__ int table[64]; // wrong: a kernel cannot write here

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    void* data;
    cudaGetSymbolAddress(&data, table);
    fill<<<1, 64>>>(static_cast<int*>(data));
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-__constant__ int table[64]; // wrong: a kernel cannot write here
+__device__ int table[64];
)",
};

} // namespace sim::hazards
