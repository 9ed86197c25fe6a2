#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::negative_store_start{
    .name = "negative-store-start",
    .title = "A tile is stored at a negative coordinate",
    .why = R"(A tile load may start before the beginning of a tensor, and elements outside arrive as zeros. A tile
        store may reach beyond the end, where elements are dropped, but it must not start before the beginning: an
        H100 stops with an illegal instruction for any negative coordinate.)",
    .remedy = R"(Start the store at coordinate 0 or later: shift the tile, or write its valid part with ordinary
        stores.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-bulk-tensor",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* store = facts.as<events::NegativeStoreStart>();
        if (!store)
            return std::nullopt;
        return Explanation{.action = "stored a tile at a negative coordinate", .message = store->what};
    },
    .wrong = R"cuda(#include <cuda.h>
#include <cuda/ptx>

__global__ void store(const __grid_constant__ CUtensorMap map) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) int tile[8 * 32];
    for (int i = 0; i < 8; ++i)
        tile[i * 32 + threadIdx.x] = i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, -1}; // wrong: the tile starts at row -1
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
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
    store<<<1, 32>>>(map_of(matrix));
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        const int at[] = {0, -1}; // wrong: the tile starts at row -1
+        const int at[] = {0, 28}; // the last four rows are dropped
)",
};

} // namespace sim::hazards
