#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::out_of_bounds{
    .name = "out-of-bounds",
    .title = "An access is outside its memory",
    .why = R"(A grid consists of whole blocks, so its last block usually has more threads than there are elements
        left. On the simulated device an access outside an allocation, or outside the block's shared memory, aborts
        the launch with an error. A GPU detects only some of these accesses; the others read or overwrite other data.
        Kernels cannot reach ordinary host memory (malloc, variables), and the host cannot reach memory from
        cudaMalloc.)",
    .remedy =
        "Compare the index with both ends of the memory before each access: tails reach beyond the end, halos and "
        "differences also before the beginning.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#kernels",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* stop = facts.stopped(events::Stopped::Why::out_of_bounds))
            return Explanation{
                .action = "stopped here",
                .message = stop->what,
                .remedy =
                    stop->of == events::Stopped::Of::tile
                        ? "Compare the map with the tensor, and its box with the shared memory that receives it: the "
                          "order of the sizes (in elements), the strides (in bytes) and the element type."
                    : stop->of == events::Stopped::Of::host_memory
                        ? "Allocate the memory with cudaMalloc and copy the data there (cudaMemcpy), or allocate it "
                          "with cudaMallocManaged, and pass that pointer to the kernel."
                    : stop->of == events::Stopped::Of::no_such_block
                        ? "Launch the kernel with clusters (__cluster_dims__, or cudaLaunchKernelEx with "
                          "cudaLaunchAttributeClusterDimension), and name only ranks below the number of blocks in a "
                          "cluster, in mapa, map_shared_rank and multicast masks."
                        : "",
            };
        if (const auto* misuse = facts.as<HostMisuse>(); misuse && misuse->kind == HostMisuse::Kind::device_pointer)
            return Explanation{
                .message = misuse->message,
                .remedy = "Copy the bytes to host memory with cudaMemcpy and read them there, or allocate the memory "
                          "with cudaMallocManaged.",
            };
        if (const auto* outside = facts.as<events::OutsidePixelBox>())
            return Explanation{.action = "started an im2col copy outside the pixel box", .message = outside->what};
        return std::nullopt;
    },
    .wrong = R"cuda(__global__ void twice(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] *= 2; // wrong: the last 28 threads have no element
}

int main() {
    constexpr int n = 100;
    int* data;
    cudaMalloc(&data, n * sizeof(int));
    cudaMemset(data, 0, n * sizeof(int));
    twice<<<(n + 63) / 64, 64>>>(data, n);
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    data[i] *= 2; // wrong: the last 28 threads have no element
+    if (i < n)
+        data[i] *= 2;
)",
};

} // namespace sim::hazards
