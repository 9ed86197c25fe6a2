// source: triton#7293, a fence is missing after the device has updated a TMA descriptor (wrong stores, as in #6638)
// cause: The tensor map is modified on the device and used without a tensormap-proxy acquire by the block that uses
//     it.
// rule: map-without-acquire
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <vector>

constexpr int width = 64, rows = 8;

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

__device__ void set_address(CUtensorMap* map, const void* address) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(smem(map)), "l"(address)
                 : "memory");
}
__device__ void publish(CUtensorMap* to, const CUtensorMap* from) {
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;" ::"l"(to),
                 "r"(smem(from))
                 : "memory");
}
__device__ void acquire(const CUtensorMap* map) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

// Each block points a copy of the template at its own matrix and loads a tile of it.
__global__ void gather(const __grid_constant__ CUtensorMap pattern, const int* in, CUtensorMap* maps, int* out) {
    __shared__ alignas(128) int tile[rows][width];
    __shared__ alignas(128) CUtensorMap map;
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
        map = pattern;
        set_address(&map, in + blockIdx.x * rows * width);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        publish(&maps[blockIdx.x], &map); // <-- cause
    if (threadIdx.x == 0) {
        arrive_expect(&full, sizeof tile);
        load_tile(tile, &maps[blockIdx.x], 0, 0, &full); // <-- cause
    }
    wait(&full, 0);
    for (int i = threadIdx.x; i < rows * width; i += blockDim.x)
        out[blockIdx.x * rows * width + i] = tile[i / width][i % width];
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
    const int matrices = 3;
    const std::vector<int> in = numbers(matrices * rows * width);
    int *data = to_device(in), *out = to_device(std::vector<int>(in.size()));
    CUtensorMap pattern, *maps;
    cudaMalloc(&maps, matrices * sizeof *maps);
    const cuuint64_t size[2] = {width, rows}, stride[1] = {width * sizeof(int)};
    const cuuint32_t box[2] = {width, rows}, step[2] = {1, 1};
    if (cuTensorMapEncodeTiled(&pattern, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 1;
    gather<<<matrices, 64>>>(pattern, data, maps, out);
    const std::vector<int> result = to_host(out, int(in.size()));
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i)
        wrong += result[i] != in[i];
    return verdict(wrong);
}
