// source: tilelang#2391, a tile with 128-byte swizzle is placed at a multiple of 128 bytes only
// cause: The swizzle permutes by bits of the shared address, but the tile starts 128 bytes off its period of 1024 and
//     is read as if it did not.
// rule: swizzle-offset
// note: swizzle-offset
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <vector>

constexpr int width = 32, rows = 8;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void arrive_expect(uint64_t* bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(bar)), "r"(bytes) : "memory");
}

__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void load_tile(void* to, const CUtensorMap* map, int x, int y, uint64_t* bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(smem(to)),
                 "l"(map), "r"(x), "r"(y), "r"(smem(bar))
                 : "memory");
}

// The 16-byte piece of a row lies at its number XOR the row's number.
__global__ void transpose(const __grid_constant__ CUtensorMap map, int* out) {
    extern __shared__ __align__(1024) unsigned char memory[];
    auto* const tile = reinterpret_cast<int(*)[width]>(memory + 128); // <-- cause
    auto* const full = reinterpret_cast<uint64_t*>(memory);
    if (threadIdx.x == 0) {
        init(full, 1);
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expect(full, rows * width * sizeof(int));
        load_tile(tile, &map, 0, 0, full); // <-- cause
    }
    wait(full, 0);
    for (int y = 0; y < rows; ++y)
        out[threadIdx.x * rows + y] = tile[y][threadIdx.x ^ y << 2];
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
    const std::vector<int> in = numbers(rows * width);
    int *data = to_device(in), *out = to_device(std::vector<int>(in.size()));
    CUtensorMap map;
    const cuuint64_t size[2] = {width, rows}, stride[1] = {width * sizeof(int)};
    const cuuint32_t box[2] = {width, rows}, step[2] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 1;
    transpose<<<1, width, 4096>>>(map, out);
    const std::vector<int> result = to_host(out, int(in.size()));
    int wrong = 0;
    for (int i = 0; i < rows * width; ++i)
        wrong += result[i] != in[i % rows * width + i / rows];
    return verdict(wrong);
}
