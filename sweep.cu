#include <algorithm>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <vector>
#ifdef BLAS
#include <cublas_v2.h>
#endif
namespace ptx = cuda::ptx;
using bf16 = __nv_bfloat16;

constexpr int M = 128, N = 256, K = 64;
template <int STAGES>
struct Ring {
    alignas(1024) bf16 a[STAGES][M * K], b[STAGES][N * K];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ uint64_t descriptor(const void* shared) {
    return uint64_t(__cvta_generic_to_shared(shared)) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define F4(N) "+f"(d[N]), "+f"(d[N + 1]), "+f"(d[N + 2]), "+f"(d[N + 3])
#define F16(N) F4(N), F4(N + 4), F4(N + 8), F4(N + 12)
__device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, 1, 1, 1, 0, 0;"
        : F16(0), F16(16), F16(32), F16(48), F16(64), F16(80), F16(96), F16(112)
        : "l"(a), "l"(b));
}

__device__ void load(void* tile, const CUtensorMap* map, int x, int y, uint64_t* barrier) {
    const int at[] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, barrier);
}
__device__ void multicast(void* tile, const CUtensorMap* map, int x, int y, uint64_t* barrier, uint16_t ranks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(unsigned(__cvta_generic_to_shared(tile))),
                 "l"(map), "r"(x), "r"(y), "r"(unsigned(__cvta_generic_to_shared(barrier))), "h"(ranks)
                 : "memory");
}

// 0: release.cluster, 1: default (release.cta), 2: relaxed.cluster
template <int ARRIVE>
__device__ void arrive_at(uint64_t* barrier, int rank) {
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(unsigned(__cvta_generic_to_shared(barrier))), "r"(rank));
    if constexpr (ARRIVE == 0)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
    if constexpr (ARRIVE == 1)
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
    if constexpr (ARRIVE == 2)
        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
}

__device__ unsigned pack(float x, float y) {
    const __nv_bfloat162 two = __floats2bfloat162_rn(x, y);
    return reinterpret_cast<const unsigned&>(two);
}

template <int EPI>
__device__ __forceinline__ void store(const float (&d)[128], bf16* out, int row0, int col0, int m, int n) {
    const int lane = threadIdx.x % 32, row = row0 + threadIdx.x % 128 / 32 * 16 + lane / 4;
    if constexpr (EPI == 0) {
        for (int j = 0; j < 32; ++j)
            for (int h = 0; h < 2; ++h) {
                const int r = row + 8 * h, c = col0 + 8 * j + lane % 4 * 2;
                if (r < m && c < n)
                    *reinterpret_cast<unsigned*>(&out[size_t(r) * n + c]) = pack(d[4 * j + 2 * h], d[4 * j + 2 * h + 1]);
            }
    } else {
        const int q = lane % 4;
#pragma unroll
        for (int j = 0; j < 32; j += 4)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                unsigned v[4];
                for (int i = 0; i < 4; ++i)
                    v[i] = pack(d[4 * (j + i) + 2 * h], d[4 * (j + i) + 2 * h + 1]);
                // 4x4 transposition in the quad
                {
                    const bool odd = q & 1;
                    unsigned s0 = odd ? v[0] : v[1], s1 = odd ? v[2] : v[3];
                    s0 = __shfl_xor_sync(~0u, s0, 1), s1 = __shfl_xor_sync(~0u, s1, 1);
                    if (odd) v[0] = s0, v[2] = s1; else v[1] = s0, v[3] = s1;
                }
                {
                    const bool hi = q & 2;
                    unsigned s0 = hi ? v[0] : v[2], s1 = hi ? v[1] : v[3];
                    s0 = __shfl_xor_sync(~0u, s0, 2), s1 = __shfl_xor_sync(~0u, s1, 2);
                    if (hi) v[0] = s0, v[1] = s1; else v[2] = s0, v[3] = s1;
                }
                const int r = row + 8 * h, c = col0 + 8 * (j + q);
                if (r < m && c < n)
                    *reinterpret_cast<uint4*>(&out[size_t(r) * n + c]) = {v[0], v[1], v[2], v[3]};
            }
    }
}

template <int CM, int CN, int ARRIVE, int EPI, int GROUP, bool PERSIST>
__global__ void __launch_bounds__(384, 1) gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                               bf16* out, int m, int n, int k) {
    constexpr int CLUSTER = CM * CN, STAGES = 4;
    extern __shared__ unsigned char memory[];
    auto& s = *reinterpret_cast<Ring<STAGES>*>((reinterpret_cast<uintptr_t>(memory) + 1023) / 1024 * 1024);
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = CLUSTER > 1 ? cluster.block_rank() : 0, group = threadIdx.x / 128;
    const int ry = rank % CM, rx = rank / CM;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], (CM + CN - 1) * 2);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    if constexpr (CLUSTER > 1) {
        ptx::barrier_cluster_arrive(ptx::sem_relaxed);
        ptx::barrier_cluster_wait();
    } else
        __syncthreads();

    const int steps = (k + K - 1) / K;
    const int rows = (m + CM * M - 1) / (CM * M), columns = (n + CN * N - 1) / (CN * N), jobs = rows * columns;
    constexpr int HIGH = GROUP / CM; // cluster rows of a group
    const auto place = [&](int job, int& row, int& column) {
        const int whole = HIGH * columns, g = job / whole, high = min(HIGH, rows - g * HIGH);
        row = ((g * HIGH + job % whole % high) * CM + ry) * M;
        column = (job % whole / high * CN + rx) * N;
    };
    const int first = blockIdx.x / CLUSTER, stride = PERSIST ? gridDim.x / CLUSTER : 1 << 30;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            int i = 0;
            for (long long job = first; job < jobs; job += stride) {
                int row, column;
                place(job, row, column);
                for (int step = 0; step < steps; ++step, ++i) {
                    const int st = i % STAGES;
                    wait(&s.empty[st], 1 ^ i / STAGES % 2);
                    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[st],
                                                   sizeof s.a[0] + sizeof s.b[0]);
                    if constexpr (CN == 1)
                        load(s.a[st], &a, step * K, row, &s.full[st]);
                    else
                        multicast(s.a[st] + rx * (M / CN) * K, &a, step * K, row + rx * (M / CN), &s.full[st],
                                  (1 | 1 << CM) << ry);
                    if constexpr (CM == 1)
                        load(s.b[st], &b, step * K, column, &s.full[st]);
                    else
                        multicast(s.b[st] + ry * (N / CM) * K, &b, step * K, column + ry * (N / CM), &s.full[st],
                                  ((1 << CM) - 1) << rx * CM);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int t = threadIdx.x % 128;
        const bool receives = t < CLUSTER && (t % CM == ry || t / CM == rx);
        int i = 0;
        for (long long job = first; job < jobs; job += stride) {
            int row, column;
            place(job, row, column);
            float d[128] = {};
            for (int step = 0; step < steps; ++step, ++i) {
                const int st = i % STAGES;
                wait(&s.full[st], i / STAGES % 2);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int kk = 0; kk < K; kk += 16)
                    multiply(d, descriptor(s.a[st] + (group - 1) * 64 * K + kk), descriptor(s.b[st] + kk));
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (step > 0 && receives)
                    arrive_at<ARRIVE>(&s.empty[(i - 1) % STAGES], threadIdx.x % 128);
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (receives)
                arrive_at<ARRIVE>(&s.empty[(i - 1) % STAGES], threadIdx.x % 128);
            for (float& each : d)
                asm volatile("" : "+f"(each)::"memory");
            store<EPI>(d, out, row + (group - 1) * 64, column, m, n);
        }
    }
    if constexpr (CLUSTER > 1)
        cluster.sync();
}

CUtensorMap map_of(const bf16* matrix, int lines, int k, int box_lines, int promotion) {
    CUtensorMap map;
    cuuint64_t dim[2] = {cuuint64_t(k), cuuint64_t(lines)}, stride[1] = {cuuint64_t(k) * 2};
    cuuint32_t box[2] = {K, cuuint32_t(box_lines)}, each[2] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), dim, stride, box, each,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CUtensorMapL2promotion(promotion),
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        std::printf("map failed\n"), std::exit(1);
    return map;
}

int promotion = 0;
template <int CM, int CN, int ARRIVE, int EPI, int GROUP, bool PERSIST>
void launch(const bf16* a, const bf16* b, bf16* d, int m, int n, int k) {
    constexpr int CLUSTER = CM * CN, STAGES = 4;
    const auto kernel = gemm<CM, CN, ARRIVE, EPI, GROUP, PERSIST>;
    const int bytes = sizeof(Ring<STAGES>) + 1024;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    const int jobs = (m + CM * M - 1) / (CM * M) * ((n + CN * N - 1) / (CN * N));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {CLUSTER, 1, 1};
    cudaLaunchConfig_t config = {dim3(CLUSTER * 256), dim3(384), size_t(bytes), 0, &attribute, 1};
    static int most = 0;
    if (!most)
        cudaOccupancyMaxActiveClusters(&most, kernel, &config), std::printf("clusters of %d: %d\n", CLUSTER, most);
    config.gridDim = dim3(CLUSTER * (PERSIST ? std::min(jobs, most) : jobs));
    cudaLaunchKernelEx(&config, kernel, map_of(a, m, k, M / CN, promotion), map_of(b, n, k, N / CM, promotion), d, m, n, k);
}

__global__ void fill(bf16* p, size_t n, unsigned seed) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        p[i] = __float2bfloat16(int((unsigned(i) * 2654435761u + seed) >> 20) % 9 - 4);
}
__global__ void differ(const bf16* x, const bf16* y, size_t n, unsigned* bad) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        if (__bfloat162float(x[i]) != __bfloat162float(y[i]))
            atomicAdd(bad, 1u);
}
__global__ void reference(const bf16* a, const bf16* b, bf16* d, int m, int n, int k) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= n || y >= m) return;
    float sum = 0;
    for (int i = 0; i < k; ++i)
        sum += __bfloat162float(a[size_t(y) * k + i]) * __bfloat162float(b[size_t(x) * k + i]);
    d[size_t(y) * n + x] = __float2bfloat16(sum);
}

bf16 *a, *b, *d, *want;
unsigned* bad;
bool once = false;
template <class F>
void time(const char* name, int m, int n, int k, F&& f) {
    cudaMemset(d, 0xdb, size_t(m) * n * 2);
    cudaMemset(bad, 0, 4);
    f();
    if (once) { std::printf("%5d %s\n", m, name); cudaDeviceSynchronize(); return; }
    differ<<<264, 256>>>(d, want, size_t(m) * n, bad);
    unsigned wrong = 0;
    cudaMemcpy(&wrong, bad, 4, cudaMemcpyDeviceToHost);
#ifdef BLAS
    cudaEvent_t from, to;
    cudaEventCreate(&from), cudaEventCreate(&to);
    const int rounds = m >= 8192 ? 6 : 20;
    std::vector<float> times;
    for (int r = 0; r < 3; ++r) f();
    for (int trial = 0; trial < 3; ++trial) {
        cudaEventRecord(from);
        for (int r = 0; r < rounds; ++r) f();
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        float ms = 0;
        cudaEventElapsedTime(&ms, from, to);
        times.push_back(ms / rounds);
    }
    std::sort(times.begin(), times.end());
    std::printf("%5d %-34s %8.3f ms %7.1f TFLOP/s  wrong %u  %s\n", m, name, times[1], 2e-9 * m * n * k / times[1], wrong,
                cudaGetErrorString(cudaGetLastError()));
#else
    std::printf("%5d %-34s wrong %u\n", m, name, wrong);
#endif
    std::fflush(stdout);
}

#define VARIANT(CM, CN, A, E, G, P) time(#CM "x" #CN " arrive " #A " epi " #E " group " #G " persist " #P, m, n, k, [&] { launch<CM, CN, A, E, G, P>(a, b, d, m, n, k); })

int main(int argc, char**) {
    once = argc > 1;
#ifdef BLAS
    cublasHandle_t blas;
    cublasCreate(&blas);
    for (int size : {4096, 8192}) {
        const int m = size, n = size, k = size;
#else
    {
        const int m = 256 + 64, n = 256, k = 192;
#endif
        cudaMalloc(&a, size_t(m) * k * 2), cudaMalloc(&b, size_t(n) * k * 2);
        cudaMalloc(&d, size_t(m) * n * 2), cudaMalloc(&want, size_t(m) * n * 2), cudaMalloc(&bad, 4);
        fill<<<264, 256>>>(a, size_t(m) * k, 1), fill<<<264, 256>>>(b, size_t(n) * k, 12345);
#ifdef BLAS
        const float one = 1, zero = 0;
        const auto library = [&] {
            cublasGemmEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16BF, k, a, CUDA_R_16BF, k, &zero, d,
                         CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
        };
        library();
        cudaMemcpy(want, d, size_t(m) * n * 2, cudaMemcpyDeviceToDevice);
        time("cublas", m, n, k, library);
        if (once) {
            VARIANT(2, 1, 1, 1, 16, true);
            VARIANT(1, 1, 1, 1, 16, true);
            VARIANT(2, 1, 1, 1, 16, false);
            VARIANT(1, 1, 1, 1, 16, false);
            continue;
        }
        for (promotion = 0; promotion < 4; promotion += 3) {
            std::printf("promotion %d\n", promotion);
            VARIANT(2, 1, 0, 1, 16, false);
            VARIANT(2, 1, 1, 1, 16, false);
            VARIANT(2, 1, 2, 1, 16, false);
            VARIANT(2, 1, 1, 0, 16, false);
            VARIANT(2, 1, 1, 1, 16, true);
            VARIANT(2, 1, 2, 1, 16, true);
            VARIANT(1, 1, 1, 1, 16, false);
            VARIANT(1, 1, 1, 0, 16, false);
            VARIANT(1, 1, 1, 1, 16, true);
            VARIANT(1, 2, 1, 1, 16, false);
            VARIANT(1, 2, 1, 1, 16, true);
            VARIANT(2, 2, 1, 1, 16, false);
            VARIANT(2, 2, 1, 1, 16, true);
            VARIANT(4, 1, 1, 1, 16, false);
        }
        promotion = 0;
        VARIANT(2, 1, 1, 1, 8, true);
        VARIANT(2, 1, 1, 1, 8, false);
        VARIANT(2, 1, 1, 1, 32, true);
        VARIANT(2, 1, 1, 1, 32, false);
        time("cublas again", m, n, k, library);
#else
        fill<<<2, 256>>>(a, size_t(m) * k, 1), fill<<<2, 256>>>(b, size_t(n) * k, 12345);
        reference<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, want, m, n, k);
        VARIANT(2, 1, 0, 0, 16, true);
        VARIANT(2, 2, 1, 1, 16, true);
        VARIANT(1, 2, 2, 1, 16, false);
        VARIANT(1, 1, 1, 1, 16, true);
#endif
        cudaFree(a), cudaFree(b), cudaFree(d), cudaFree(want), cudaFree(bad);
    }
}
