// source: humming#21, a TMA destination behind an array of 64 bytes: the union is aligned to 128 bytes, the member is
//     not
// cause: The destination of the tensor copy lies 64 bytes behind a multiple of 128, because only the structure is
//     aligned.
// rule: misaligned-copy
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <vector>

constexpr int width = 32, rows = 8;

struct alignas(128) Storage {
    int scales[16];
    int tile[rows][width]; // <-- cause
};

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

__global__ void scale(const __grid_constant__ CUtensorMap map, const int* scales, int* out) {
    __shared__ Storage storage;
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
    }
    if (threadIdx.x < 16)
        storage.scales[threadIdx.x] = scales[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expect(&full, sizeof storage.tile);
        load_tile(storage.tile, &map, 0, 0, &full); // <-- cause
    }
    wait(&full, 0);
    for (int y = 0; y < rows; ++y)
        out[y * width + threadIdx.x] = storage.tile[y][threadIdx.x] * storage.scales[y];
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
    const std::vector<int> in = numbers(rows * width), scales = numbers(16);
    int *data = to_device(in), *out = to_device(std::vector<int>(in.size()));
    CUtensorMap map;
    const cuuint64_t size[2] = {width, rows}, stride[1] = {width * sizeof(int)};
    const cuuint32_t box[2] = {width, rows}, step[2] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 1;
    scale<<<1, width>>>(map, to_device(scales), out);
    const std::vector<int> result = to_host(out, int(in.size()));
    int wrong = 0;
    for (int i = 0; i < rows * width; ++i)
        wrong += result[i] != in[i] * scales[i / width];
    return verdict(wrong);
}
