// source: cutlass#2960, whether fence_view_async_shared is needed before the TMA store when a barrier is there
//     already
// cause: The threads write the tile with ordinary stores and no proxy fence orders those writes before the TMA store
//     that reads them.
// rule: missing-proxy-fence
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <vector>

constexpr int rows = 16, columns = 64, blocks = 4, threads = 128;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void store_tile(const CUtensorMap* map, const void* from, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(smem(from))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Each block scales its tile of accumulators and stores it with TMA.
__global__ void epilogue(const int* accumulators, const __grid_constant__ CUtensorMap result) {
    __shared__ alignas(128) int tile[rows][columns];
    const int* mine = accumulators + blockIdx.x * rows * columns;
    for (int i = threadIdx.x; i < rows * columns; i += threads)
        tile[i / columns][i % columns] = 2 * mine[i]; // <-- cause
    __syncthreads();
    if (threadIdx.x == 0) {
        store_tile(&result, tile, 0, blockIdx.x * rows); // <-- cause
        wait_read();
    }
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
        values[i] = i * 7 % 1009;
    return values;
}

std::vector<int> to_host(const int* p, int n) {
    std::vector<int> values(n);
    cudaMemcpy(values.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    const std::vector<int> in = numbers(blocks * rows * columns);
    int *accumulators = to_device(in), *out = to_device(std::vector<int>(in.size()));
    CUtensorMap map;
    const cuuint64_t size[2] = {columns, blocks * rows}, stride[1] = {columns * sizeof(int)};
    const cuuint32_t box[2] = {columns, rows}, step[2] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, out, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 1;
    epilogue<<<blocks, threads>>>(accumulators, map);
    const std::vector<int> result = to_host(out, int(in.size()));
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i)
        wrong += result[i] != 2 * in[i];
    return verdict(wrong);
}
