#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::invalid_tensor_map{
    .name = "invalid-tensor-map",
    .title = "The tensor map is invalid or does not match the copy",
    .why = R"(The number of dimensions and the mode of a copy must match its tensor map. tensormap.replace writes any
        value without a check; the check comes when a copy uses the map. Remember that .rank takes the rank minus one,
        that .elemtype takes the numbers of the PTX manual, which differ from the driver's for 8, 9 and 10 (f32.ftz, f64
        and bf16), and that each row of the box must be a multiple of 16 bytes and fit into the swizzle's
        span.)",
    .remedy = R"(Use the copy instruction with the rank of the map, and pass tensormap.replace the values that the PTX
        manual lists.)",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tensor-tensormap",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* map = facts.as<events::InvalidMap>();
        if (!map)
            return std::nullopt;
        using Part = events::InvalidMap::Part;
        if (map->part == Part::no_map)
            return Explanation{
                .action = "used bytes that are no tensor map",
                .message = map->what,
                .remedy = "Compare the result of cuTensorMapEncodeTiled with CUDA_SUCCESS before the launch, and pass "
                          "the map that it has written.",
            };
        const char* action = map->part == Part::rank       ? "used a tensor map that does not match the instruction"
                             : map->part == Part::contents ? "used a tensor map that is not valid"
                                                           : "replaced a field of a tensor map "
                                                             "with a value that it cannot have";
        return Explanation{.action = action, .message = map->what};
    },
    .suspected = {{"fence.proxy.tensormap", 3}},
    .wrong = R"cuda(#include <cuda.h>
#include <cuda/ptx>

__global__ void load(const __grid_constant__ CUtensorMap map) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) int tile[8 * 32];
    __shared__ uint64_t filled;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&filled, 1);
        const int at[] = {0}; // wrong: the map has two dimensions
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &filled);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &filled, sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&filled, 0)) {
    }
}

CUtensorMap map_of(void* matrix) {
    CUtensorMap map;
    const cuuint64_t dims[] = {64, 32}, strides[] = {64 * sizeof(int)};
    const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, dims, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main() {
    void* matrix;
    cudaMalloc(&matrix, 64 * 32 * sizeof(int));
    cudaMemset(matrix, 0, 64 * 32 * sizeof(int));
    load<<<1, 32>>>(map_of(matrix));
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        const int at[] = {0}; // wrong: the map has two dimensions
+        const int at[] = {0, 0};
)",
};

} // namespace sim::hazards
