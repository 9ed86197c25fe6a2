// expect: case "the map is made"
// Drill 11.3: without libcuda
// `cuTensorMapEncodeTiled` belongs to the driver. A program that must also start on a machine without a driver does not
// link with -lcuda, but asks the runtime for the function at run time:
//
// - cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found)
//
// `address` is a void*, `version` is 12000 for CUDA 12.0, which introduced the function, and `found` (of type
// cudaDriverEntryPointQueryResult) is cudaDriverEntryPointSuccess if there is one.
#include "lab.h"

#include <cuda/ptx>
#include <cudaTypedefs.h>

namespace ptx = cuda::ptx;

using Encode = PFN_cuTensorMapEncodeTiled_v12000; // a pointer to the function

/// The driver's function, or nullptr if this driver has none.
Encode find_encode() {
    // TODO(1): look the function up.
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found;
    // the name of the pointer's type, not of the function
    cudaGetDriverEntryPointByVersion("PFN_cuTensorMapEncodeTiled", &address, 12000, cudaEnableDefault, &found);
    return found == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(address) : nullptr;
    // END TODO(1)
}

constexpr int WIDTH = 32, HEIGHT = 4;

// Each block reverses the rows of its tile.
__global__ void flip(const __grid_constant__ CUtensorMap map, int* out) {
    __shared__ alignas(128) int tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int begin[] = {0, int(blockIdx.x) * HEIGHT};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    for (int y = 0; y < HEIGHT; ++y)
        out[(blockIdx.x * HEIGHT + y) * WIDTH + threadIdx.x] = tile[y][WIDTH - 1 - threadIdx.x];
}

/// `in` and `out` have `rows` rows of 32 integers, rows a multiple of 4, and are 16-byte aligned.
cudaError_t launch(int* in, int* out, int rows, cudaStream_t stream) {
    const Encode encode = find_encode();
    if (!encode)
        return cudaErrorSymbolNotFound;
    CUtensorMap map;
    const cuuint64_t size[] = {WIDTH, cuuint64_t(rows)}, stride[] = {WIDTH * sizeof(int)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    flip<<<rows / HEIGHT, WIDTH, 0, stream>>>(map, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
