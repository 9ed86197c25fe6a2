#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 64;

__global__ void store_twice(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[WIDTH];
    for (int k = 0; k < 2; ++k) {
        tile[threadIdx.x] = k;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            const int at[] = {0, k};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
            ptx::cp_async_bulk_commit_group();
        }
        if (threadIdx.x == 32)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        __syncthreads();
    }
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

CUtensorMap map_of(void* image, int columns, int rows, int pitch, cuuint32_t width, cuuint32_t height) {
    CUtensorMap map;
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {pitch * sizeof(int)};
    const cuuint32_t box[] = {width, height}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, image, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main() {
    int* rows;
    cudaMalloc(&rows, 2 * WIDTH * sizeof(int));
    store_twice<<<1, WIDTH>>>(map_of(rows, WIDTH, 2, WIDTH, WIDTH, 1));
    cudaDeviceSynchronize();
}
