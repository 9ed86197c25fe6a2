#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::map_without_acquire{
    .name = "map-without-acquire",
    .title = "A tensor map that the device has modified is used without an acquire in this block",
    .why = R"(The copy unit keeps tensor maps in a cache that ordinary synchronisation does not invalidate. After the
        device has modified a map in global memory, one thread of each block that uses it must execute
        fence.proxy.tensormap::generic.acquire on its address, with a scope that includes the writer, and the block's
        other threads must be ordered after that acquire. A barrier, a grid barrier, or the end of the kernel that
        wrote the map does not replace the acquire.)",
    .remedy = R"(Execute fence.proxy.tensormap::generic.acquire.gpu [map], 128 in each block, then synchronise the
        block's threads, then use the map.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-membar-fence",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* map = facts.as<MapUnready>();
        if (!map || map->why == MapUnready::Why::not_released || map->why == MapUnready::Why::release_too_narrow)
            return std::nullopt;
        Explanation text{
            .action = "used a tensor map in global memory", .other_action = "modified the map", .message = {}};
        switch (map->why) {
        case MapUnready::Why::acquire_too_narrow:
            text.message = "Another block modified the map, and the acquire has block scope "
                           "(.cta), which does not include that block. It needs .gpu scope.";
            break;
        case MapUnready::Why::acquired_elsewhere:
            text.message = "The map was modified on the device. Another block has executed "
                           "the acquire, but an acquire takes effect only for the block that "
                           "executes it, so every block that uses the map needs its own.";
            break;
        case MapUnready::Why::host_beyond_acquire:
            text.message =
                "The host wrote this map to global memory, and the acquire's scope does not include the host: "
                "the programming guide requires system scope.";
            text.remedy = "Give fence.proxy.tensormap::generic.acquire the scope .sys.";
            text.severity = Severity::note;
            break;
        case MapUnready::Why::host:
            text.message = "The host wrote this map to global memory, and the programming guide "
                           "requires an acquire of system scope in each block. (A "
                           "__grid_constant__ parameter or a __constant__ variable needs none.)";
            text.remedy = "Execute fence.proxy.tensormap::generic.acquire.sys [map], 128 in each block before its "
                          "copies, or pass the map as a __grid_constant__ parameter.";
            text.severity = Severity::note;
            break;
        default:
            text.message = "The map was modified on the device. Since then neither this thread, "
                           "nor a thread of this block that it is ordered after, has executed "
                           "fence.proxy.tensormap::generic.acquire on the address of the map.";
        }
        return text;
    },
    .suspected = {{"fence.proxy.tensormap", 1}},
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
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &published, &draft, ptx::n32_t<128>{});
    __syncwarp(); // wrong: no acquire
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
-    __syncwarp(); // wrong: no acquire
+    __syncwarp();
+    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &published, ptx::n32_t<128>{});
)",
};

} // namespace sim::hazards
