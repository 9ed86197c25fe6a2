#include "sim/rules/rule.h"

namespace sim::hazards {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    const auto* map = facts.as<events::InvalidMap>();
    if (!map)
        return std::nullopt;
    using Part = events::InvalidMap::Part;
    const char* action = map->part == Part::rank       ? "used a tensor map that does not fit the instruction"
                         : map->part == Part::contents ? "used a tensor map that is not valid"
                                                       : "replaced a field with a value it cannot have";
    return Explanation{.action = action, .message = map->what};
}

} // namespace

extern const Rule invalid_tensor_map;
const Rule invalid_tensor_map{
    .name = "invalid-tensor-map",
    .title = "The tensor map does not fit the copy",
    .why = "A copy names its number of dimensions and its mode, and the map must have the same. tensormap.replace "
           "writes whatever it is given, and checks come when the map is used: .rank takes the rank minus one; "
           ".elemtype, .swizzle_mode and .fill_mode take the numbers of the PTX manual, not those of the driver's "
           "enumerations; rows of the box must be multiples of 16 bytes and fit into the swizzle's span.",
    .remedy = "Use the copy of the map's rank, and replace fields with the values that the PTX manual lists for "
              "tensormap.replace.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#tensor-tensormap",
    .explain = explain,
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
    .right = R"cuda(#include <cuda.h>
#include <cuda/ptx>

__global__ void load(const __grid_constant__ CUtensorMap map) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) int tile[8 * 32];
    __shared__ uint64_t filled;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&filled, 1);
        const int at[] = {0, 0};
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
};

} // namespace sim::hazards
