#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::map_without_release{
    .name = "map-without-release",
    .title = "A tensor map that the device has modified is used without a release by its writer",
    .why = R"(Copies read tensor maps through the tensormap proxy, but ordinary stores go through the generic proxy.
        When ordinary stores have written a map to global memory, copies see it only after the writer has executed
        fence.proxy.tensormap::generic.release and the block that uses the map has executed the matching acquire.
        tensormap.cp_fenceproxy writes the map and releases it in one operation.)",
    .remedy = R"(Write the map with tensormap.cp_fenceproxy, or execute fence.proxy.tensormap::generic.release.gpu
        after the stores.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-membar-fence",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* map = facts.as<MapUnready>();
        if (!map || map->why != MapUnready::Why::not_released)
            return std::nullopt;
        return Explanation{
            .action = "used a tensor map in global memory",
            .other_action = "modified the map",
            .message = "The map was modified on the device, and its writer executed neither "
                       "fence.proxy.tensormap::generic.release nor tensormap.cp_fenceproxy after that.",
        };
    },
    .suspected = {{"fence.proxy.tensormap", 2}},
    .wrong = R"cuda(#include <cuda.h>
#include <cuda/ptx>

__device__ CUtensorMap published;

__global__ void use(const __grid_constant__ CUtensorMap initial) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) int tile[8 * 32];
    __shared__ alignas(128) CUtensorMap draft;
    __shared__ uint64_t filled;
    const int i = threadIdx.x;
    if (i == 0) {
        ptx::mbarrier_init(&filled, 1);
        draft = initial;
    }
    __syncthreads();
    reinterpret_cast<int*>(&published)[i] = reinterpret_cast<const int*>(&draft)[i]; // wrong: no thread releases it
    __syncwarp();
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &published, ptx::n32_t<128>{});
    if (i == 0) {
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &published, at, &filled);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &filled, sizeof tile);
    }
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
    use<<<1, 32>>>(map_of(matrix));
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    reinterpret_cast<int*>(&published)[i] = reinterpret_cast<const int*>(&draft)[i]; // wrong: no thread releases it
+    reinterpret_cast<int*>(&published)[i] = reinterpret_cast<const int*>(&draft)[i];
+    ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_gpu);
)",
};

} // namespace sim::hazards
