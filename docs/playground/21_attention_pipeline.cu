// softmax(Q * transpose of K) * V for 128 queries and a head of 64 elements, with 8 columns of V, which is stored by
// columns. Weights are powers of two. Two warpgroups multiply in turns.
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int stages = 2, keys = 64, head = 64, outputs = 8, warpgroup = 128;

struct Memory {
    alignas(1024) bf16 q[2 * 64][head], k[stages][keys][head], v[stages][outputs][keys];
    uint64_t q_full, k_full[stages], k_empty[stages], v_full[stages], v_empty[stages];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

__device__ void load(void* to, const CUtensorMap& map, int x, int y, uint64_t* full, unsigned bytes) {
    const int32_t at[] = {x, y};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full, bytes);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, full);
}

// Describes rows of 128 bytes, swizzled by 128 bytes.
__device__ uint64_t descriptor(const bf16* first) {
    return __cvta_generic_to_shared(first) / 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 62;
}

#define FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(d, i) FOUR(d, i), FOUR(d, i + 4), FOUR(d, i + 8), FOUR(d, i + 12)

// d = A * transpose of B, plus d if `add`: 64 x 64.
__device__ void wgmma(float (&d)[32], uint64_t a, uint64_t b, bool add) {
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, add, 1, 1, 0, 0;\n}"
                 : SIXTEEN(d, 0), SIXTEEN(d, 16)
                 : "l"(a), "l"(b), "r"(int(add)));
}

// d += A * transpose of B: 64 x 8, with A in registers.
__device__ void wgmma(float (&d)[4], const uint32_t* a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
                 : FOUR(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

template <int N>
__device__ void settle(float (&d)[N]) { // the compiler reads none of them before this place
    for (float& each : d)
        asm volatile("" : "+f"(each)::"memory");
}

// Makes weights of the scores of two rows, and says by which factor the earlier ones change.
__device__ void softmax(float (&scores)[32], float (&largest)[2], float (&sum)[2], float (&factor)[2]) {
    for (int half = 0; half < 2; ++half) {
        const float before = largest[half];
        for (int i = 2 * half; i < 32; i += i % 2 ? 3 : 1)
            largest[half] = fmaxf(largest[half], scores[i]);
        for (int bit = 1; bit < 4; bit *= 2)
            largest[half] = fmaxf(largest[half], __shfl_xor_sync(~0u, largest[half], bit));
        factor[half] = exp2f(before - largest[half]);
        sum[half] *= factor[half];
        for (int i = 2 * half; i < 32; i += i % 2 ? 3 : 1)
            sum[half] += scores[i] = exp2f(scores[i] - largest[half]);
    }
}

__device__ uint32_t pack(float low, float high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

__global__ void attend(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                       const __grid_constant__ CUtensorMap v, float* out, int steps) {
    __shared__ Memory m;
    const int t = threadIdx.x, me = t / warpgroup, lane = t % 32;
    if (t == 0) {
        ptx::mbarrier_init(&m.q_full, 1);
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&m.k_full[s], 1);
            ptx::mbarrier_init(&m.v_full[s], 1);
            ptx::mbarrier_init(&m.k_empty[s], 2 * warpgroup / 32);
            ptx::mbarrier_init(&m.v_empty[s], 2 * warpgroup / 32);
        }
    }
    __syncthreads();
    if (t == 2 * warpgroup) {
        load(m.q, q, 0, 0, &m.q_full, sizeof m.q);
        for (int step = 0; step < steps; ++step) {
            const int s = step % stages;
            wait(&m.k_empty[s], step / stages % 2 ^ 1);
            load(m.k[s], k, 0, keys * step, &m.k_full[s], sizeof m.k[s]);
            wait(&m.v_empty[s], step / stages % 2 ^ 1);
            load(m.v[s], v, keys * step, 0, &m.v_full[s], sizeof m.v[s]);
        }
    }
    if (me == 2)
        return;
    float scores[32], o[4] = {}, largest[2] = {-INFINITY, -INFINITY}, sum[2] = {}, factor[2];
    uint32_t weights[16];
    wait(&m.q_full, 0);
#if TURNS == on
    if (me == 1)
        asm volatile("bar.arrive 1, 256;" ::: "memory"); // warpgroup 0 begins
#endif
    for (int step = 0; step <= steps; ++step) {
        const int s = step % stages, last = (step + stages - 1) % stages;
        if (step < steps)
            wait(&m.k_full[s], step / stages % 2);
        if (step > 0)
            wait(&m.v_full[last], (step - 1) / stages % 2);
#if TURNS == off
#else
        asm volatile("bar.sync %0, 256;" ::"r"(1 + me) : "memory");
#endif
#if FENCE == on
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
        for (int e = 0; e < head && step < steps; e += 16)
            wgmma(scores, descriptor(&m.q[64 * me][e]), descriptor(&m.k[s][0][e]), e > 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        for (int key = 0; key < keys && step > 0; key += 16)
            wgmma(o, &weights[key / 4], descriptor(&m.v[last][0][key]));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#if TURNS == off
#else
        if (me == 0 || step < steps)
            asm volatile("bar.arrive %0, 256;" ::"r"(2 - me) : "memory");
#endif
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        settle(scores);
        if (step < steps) {
            if (lane == 0)
                ptx::mbarrier_arrive(&m.k_empty[s]);
            softmax(scores, largest, sum, factor);
        }
#if V_FREE == early
        if (step > 0 && lane == 0)
            ptx::mbarrier_arrive(&m.v_empty[last]);
#endif
#if SUMS == after
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
        settle(o);
#if V_FREE == late
        if (step > 0 && lane == 0)
            ptx::mbarrier_arrive(&m.v_empty[last]);
#endif
        for (int i = 0; i < 4 && step < steps; ++i)
            o[i] *= factor[i / 2];
#if SUMS == before
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
        for (int i = 0; i < 16 && step < steps; ++i)
            weights[i] = pack(scores[2 * i], scores[2 * i + 1]);
    }
    for (int bit = 1; bit < 4; bit *= 2)
        for (float& each : sum)
            each += __shfl_xor_sync(~0u, each, bit);
    for (int i = 0; i < 4; ++i)
        out[(t / 32 * 16 + lane / 4 + i / 2 * 8) * outputs + lane % 4 * 2 + i % 2] = o[i] / sum[i / 2];
}
