#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::map_in_local_memory{
    .name = "map-in-local-memory",
    .title = "A tensor map is used from local memory",
    .why = R"(The copy unit reads the tensor map from parameter, constant or global memory. If you copy a map to a
        local variable, or pass it by value to a function that takes its address, the map is in the thread's local
        memory. The copy unit cannot read it there, and the launch fails with an illegal address.)",
    .remedy = R"(Pass the map as a `const __grid_constant__ CUtensorMap` parameter and take the address of that
        parameter.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-bulk-tensor",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* map = facts.as<events::MapInLocalMemory>();
        if (!map)
            return std::nullopt;
        return Explanation{.action = "used a tensor map in local memory", .message = map->what};
    },
    .wrong = R"cuda(#include <cuda.h>
#include <cuda/ptx>

__global__ void load(const __grid_constant__ CUtensorMap map) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) int tile[8 * 32];
    __shared__ uint64_t filled;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&filled, 1);
        const int at[] = {0, 0};
        CUtensorMap copy = map; // wrong: a local variable
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &copy, at, &filled);
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
-        CUtensorMap copy = map; // wrong: a local variable
-        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &copy, at, &filled);
+        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &filled);
)",
};

} // namespace sim::hazards
