#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int PITCH = 40; // in pixels: 160 bytes

__global__ void store_ones(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[PITCH];
    for (int& pixel : tile)
        pixel = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    const int at[] = {0, 0};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
    ptx::cp_async_bulk_commit_group();
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
    int *row, values[PITCH], changed = 0;
    cudaMalloc(&row, sizeof values);
    cudaMemset(row, 0, sizeof values);
    store_ones<<<1, 1>>>(map_of(row, COLUMNS, 1, PITCH, PITCH, 1));
    cudaMemcpy(values, row, sizeof values, cudaMemcpyDeviceToHost);
    for (int x = COLUMNS; x < PITCH; ++x)
        changed += values[x];
    std::printf("answer: %d\n", changed);
}
