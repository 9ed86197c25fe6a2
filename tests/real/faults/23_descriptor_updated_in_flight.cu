// source: DeepGEMM#343, the tensor map of a group is updated in place while TMA loads still use it
// cause: The map in global memory is rewritten for the next group while a load that was issued with it is still in
//     flight.
// rule: source-modified-in-flight
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <vector>

constexpr int width = 64, rows = 8, groups = 3;

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

// One warp loads a tile of each group; all groups share one map in global memory.
__global__ void gather(const __grid_constant__ CUtensorMap pattern, const int* in, CUtensorMap* map, int* out) {
    __shared__ alignas(128) int tile[groups][rows][width];
    __shared__ alignas(128) CUtensorMap next;
    __shared__ uint64_t full[groups];
    const int lane = threadIdx.x;
    if (lane == 0) {
        for (auto& bar : full)
            init(&bar, 1);
        fence_init();
        next = pattern;
    }
    __syncwarp();
    for (int g = 0; g < groups; ++g) {
        if (lane == 0)
            set_address(&next, in + g * rows * width);
        __syncwarp();
        publish(map, &next); // <-- cause
        if (lane == 0) {
            acquire(map);
            arrive_expect(&full[g], sizeof tile[0]);
            load_tile(tile[g], map, 0, 0, &full[g]); // <-- cause
        }
        __syncwarp();
    }
    for (int g = 0; g < groups; ++g) {
        wait(&full[g], 0);
        for (int i = lane; i < rows * width; i += 32)
            out[g * rows * width + i] = tile[g][i / width][i % width];
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
    const std::vector<int> in = numbers(groups * rows * width);
    int *data = to_device(in), *out = to_device(std::vector<int>(in.size()));
    CUtensorMap pattern, *map;
    cudaMalloc(&map, sizeof *map);
    const cuuint64_t size[2] = {width, rows}, stride[1] = {width * sizeof(int)};
    const cuuint32_t box[2] = {width, rows}, step[2] = {1, 1};
    if (cuTensorMapEncodeTiled(&pattern, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 1;
    gather<<<1, 32>>>(pattern, data, map, out);
    const std::vector<int> result = to_host(out, int(in.size()));
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i)
        wrong += result[i] != in[i];
    return verdict(wrong);
}
