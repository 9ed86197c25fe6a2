#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int SIZE = 32, WIDTH = 16, HEIGHT = 8;

__device__ int image[SIZE * SIZE];

__global__ void fill() {
    for (int i = threadIdx.x; i < SIZE * SIZE; i += blockDim.x)
        image[i] = 1;
}

__global__ void count_zeros(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int box[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    ptx::mbarrier_init(&full, 1);
    const int at[] = {X, Y};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof box);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, at, &full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    int zeros = 0;
    for (const auto& row : box)
        for (const int pixel : row)
            zeros += pixel == 0;
    printf("answer: %d\n", zeros);
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
    void* address;
    cudaGetSymbolAddress(&address, image);
    fill<<<1, 128>>>();
    count_zeros<<<1, 1>>>(map_of(address, SIZE, SIZE, SIZE, WIDTH, HEIGHT));
    cudaDeviceSynchronize();
}
