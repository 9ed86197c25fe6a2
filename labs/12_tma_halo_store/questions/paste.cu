#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int SIZE = 32, WIDTH = 16, HEIGHT = 8;

__global__ void paste(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) int tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    ptx::mbarrier_init(&full, 1);
    const int at[] = {-4, 8};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, tile);
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
    int* images;
    cudaMalloc(&images, 2 * SIZE * SIZE * sizeof(int));
    cudaMemset(images, 0, 2 * SIZE * SIZE * sizeof(int));
    paste<<<1, 1>>>(map_of(images, SIZE, SIZE, SIZE, WIDTH, HEIGHT),
                    map_of(images + SIZE * SIZE, SIZE, SIZE, SIZE, WIDTH, HEIGHT));
    cudaDeviceSynchronize();
}
