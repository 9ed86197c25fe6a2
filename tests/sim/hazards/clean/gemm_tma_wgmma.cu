// A bf16 matrix product on Hopper's tensor cores: a warp copies tiles with TMA and a swizzle of 128 bytes into a ring,
// and a warpgroup multiplies them with wgmma. A stage is released when the group after the one that read it is issued.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <vector>
namespace ptx = cuda::ptx;

constexpr int rows = 128, columns = 64, depth = 320; // of c = a * transpose of b; a block makes 64 x 64
constexpr int step = 64, steps = depth / step, stages = 3;

struct Ring {
    __nv_bfloat16 a[stages][64 * step], b[stages][64 * step];
    uint64_t full[stages], empty[stages];
};

/// K-major, swizzled by 128 bytes; 8 rows are 1024 bytes.
__device__ uint64_t descriptor(const void* shared) {
    return uint64_t(__cvta_generic_to_shared(shared)) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void produce(Ring& ring, const CUtensorMap& a, const CUtensorMap& b) {
    for (int i = 0; i < steps; ++i) {
        const int s = i % stages;
        while (!ptx::mbarrier_try_wait_parity(&ring.empty[s], 1 ^ i / stages % 2)) {
        }
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ring.full[s],
                                       sizeof ring.a[s] + sizeof ring.b[s]);
        const int at_a[2] = {i * step, int(blockIdx.x) * 64}, at_b[2] = {i * step, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.a[s], &a, at_a, &ring.full[s]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.b[s], &b, at_b, &ring.full[s]);
    }
}

#define FOUR(N) "+f"(d[N]), "+f"(d[N + 1]), "+f"(d[N + 2]), "+f"(d[N + 3])
__device__ void multiply(float* d, uint64_t a, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
        : FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28)
        : "l"(a), "l"(b));
}

__device__ void consume(Ring& ring, float* c) {
    float d[32] = {};
    for (int i = 0; i < steps; ++i) {
        const int s = i % stages;
        while (!ptx::mbarrier_try_wait_parity(&ring.full[s], i / stages % 2)) {
        }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < step; k += 16)
            multiply(d, descriptor(ring.a[s] + k), descriptor(ring.b[s] + k));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (i > 0 && threadIdx.x == 0) // for the warpgroup: its wait is over
            ptx::mbarrier_arrive(&ring.empty[(i - 1) % stages]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (float& each : d)
        asm volatile("" : "+f"(each)::"memory");
    const int lane = threadIdx.x % 32;
    c += (blockIdx.x * 64 + threadIdx.x / 32 * 16 + lane / 4) * columns + lane % 4 * 2;
    for (int e = 0; e < 32; ++e)
        c[e / 2 % 2 * 8 * columns + e / 4 * 8 + e % 2] = d[e];
}

__global__ void gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Ring& ring = *reinterpret_cast<Ring*>(memory);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&ring.full[s], 1);
            ptx::mbarrier_init(&ring.empty[s], 1);
        }
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x < 128)
        consume(ring, c);
    else if (threadIdx.x == 128)
        produce(ring, a, b);
}

CUtensorMap map_of(void* matrix, int lines) {
    CUtensorMap map;
    cuuint64_t dim[2] = {depth, cuuint64_t(lines)}, stride[1] = {depth * 2};
    cuuint32_t box[2] = {step, 64}, each[2] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, dim, stride, box, each,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main() {
    std::vector<__nv_bfloat16> a(rows * depth), b(columns * depth);
    std::vector<float> c(rows * columns);
    for (int i = 0; i < rows * depth; ++i)
        a[i] = __float2bfloat16(float(i * 7 % 13 - 6));
    for (int i = 0; i < columns * depth; ++i)
        b[i] = __float2bfloat16(float(i * 5 % 11 - 5));
    __nv_bfloat16 *da, *db;
    float* dc;
    cudaMalloc(&da, a.size() * 2);
    cudaMalloc(&db, b.size() * 2);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, int(sizeof(Ring)));
    gemm<<<rows / 64, 160, sizeof(Ring)>>>(map_of(da, rows), map_of(db, columns), dc);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int m = 0; m < rows; ++m)
        for (int n = 0; n < columns; ++n) {
            float sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += float((m * depth + k) * 7 % 13 - 6) * float((n * depth + k) * 5 % 11 - 5);
            bad += c[m * columns + n] != sum;
        }
    std::printf("bad %d\n", bad);
    return bad != 0 || cudaDeviceSynchronize();
}
