// The old map is written once more, and not acquired.
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int N = 32, ROUNDS = 40;
__device__ CUtensorMap maps[2];

struct Shared {
    alignas(128) float row[N];
    alignas(128) CUtensorMap scratch;
    uint64_t bar;
};

__device__ void write(Shared& s, const float* base) {
    if (threadIdx.x == 0) {
        s.scratch = CUtensorMap{};
        ptx::tensormap_replace_global_address(ptx::space_shared, &s.scratch, base);
        ptx::tensormap_replace_rank(ptx::space_shared, &s.scratch, 0);
        ptx::tensormap_replace_box_dim(ptx::space_shared, &s.scratch, ptx::n32_t<0>{}, N);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &s.scratch, ptx::n32_t<0>{}, N);
        ptx::tensormap_replace_element_size(ptx::space_shared, &s.scratch, ptx::n32_t<0>{}, 1);
        ptx::tensormap_replace_elemtype(ptx::space_shared, &s.scratch, ptx::n32_t<7>{});
    }
    __syncwarp();
}

__device__ void release(CUtensorMap* map, Shared& s) {
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, &s.scratch, ptx::n32_t<128>{});
}

__device__ void acquire(CUtensorMap* map) {
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, ptx::n32_t<128>{});
}

__device__ void load(Shared& s, CUtensorMap* map, int parity) {
    if (threadIdx.x == 0) {
        const int from[] = {0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.row, map, from, &s.bar);
        // error: map-without-acquire
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.bar, sizeof s.row);
    }
    while (!ptx::mbarrier_try_wait_parity(&s.bar, parity)) {
    }
    __syncwarp();
}

__global__ void kernel(const float* in, float* out) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&s.bar, 1);
    __syncwarp();
    for (int round = 0; round < 6; ++round) {
        write(s, in);
        release(&maps[0], s);
        acquire(&maps[0]);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        write(s, in + N);
        release(&maps[1], s);
        acquire(&maps[1]);
    }
    write(s, in);
    release(&maps[0], s); // other
    load(s, &maps[0], 0);
    out[threadIdx.x] = s.row[threadIdx.x];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    load(s, &maps[1], 1);
    out[N + threadIdx.x] = s.row[threadIdx.x];
}

int main() {
    float *in, *out, host[2 * N];
    for (int i = 0; i < 2 * N; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    kernel<<<1, N>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < 2 * N; ++i)
        bad += host[i] != i;
    printf("%d wrong\n", bad);
    return bad != 0;
}

/*
== clean/old_map_after_many_new_ones
A warp publishes one map many times and then loads with the one that it published before that.

-    write(s, in);
-    release(&maps[0], s);
*/
