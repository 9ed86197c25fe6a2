// A map made on the device from zeros: every field replaced, released, acquired, used to load and to reduce.
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>
#include <vector>
namespace ptx = cuda::ptx;
__device__ CUtensorMap maps[4];
__global__ void k(const __grid_constant__ CUtensorMap tmpl, float* base, float* sums) {
    __shared__ alignas(128) CUtensorMap sm;
    __shared__ alignas(128) float tile[8][32];
    __shared__ uint64_t bar;
    CUtensorMap* mine = &maps[blockIdx.x];
    const int w = 64 + 16 * blockIdx.x, h = 16;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        sm = tmpl;
        ptx::tensormap_replace_global_address(ptx::space_shared, &sm, base + blockIdx.x * 4096);
        ptx::tensormap_replace_rank(ptx::space_shared, &sm, 1);
        ptx::tensormap_replace_box_dim(ptx::space_shared, &sm, ptx::n32_t<0>{}, 32);
        ptx::tensormap_replace_box_dim(ptx::space_shared, &sm, ptx::n32_t<1>{}, 8);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &sm, ptx::n32_t<0>{}, w);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &sm, ptx::n32_t<1>{}, h);
        ptx::tensormap_replace_global_stride(ptx::space_shared, &sm, ptx::n32_t<0>{}, uint64_t(w) * 4);
        ptx::tensormap_replace_element_size(ptx::space_shared, &sm, ptx::n32_t<0>{}, 1);
        ptx::tensormap_replace_element_size(ptx::space_shared, &sm, ptx::n32_t<1>{}, 1);
        ptx::tensormap_replace_elemtype(ptx::space_shared, &sm, ptx::n32_t<7>{});
        ptx::tensormap_replace_interleave_layout(ptx::space_shared, &sm, ptx::n32_t<0>{});
        ptx::tensormap_replace_swizzle_mode(ptx::space_shared, &sm, ptx::n32_t<0>{});
        ptx::tensormap_replace_fill_mode(ptx::space_shared, &sm, ptx::n32_t<0>{});
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, mine, &sm, ptx::n32_t<128>{});
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, mine, ptx::n32_t<128>{});
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const int c[2] = {32, 12};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, mine, c, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    float s = 0;
    for (int i = threadIdx.x; i < 256; i += 64)
        s += tile[i / 32][i % 32];
    atomicAdd(&sums[blockIdx.x], s);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64)
        tile[i / 32][i % 32] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int c[2] = {0, 0};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, mine, c, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}
int main() {
    float *b, *s;
    cudaMalloc(&b, 4 * 4096 * 4);
    cudaMalloc(&s, 16);
    cudaMemset(s, 0, 16);
    std::vector<float> h(4 * 4096);
    for (int i = 0; i < 4 * 4096; ++i)
        h[i] = i % 1000;
    cudaMemcpy(b, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    CUtensorMap m{};
    k<<<4, 64>>>(m, b, s);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    float r[4];
    int bad = 0;
    cudaMemcpy(r, s, 16, cudaMemcpyDeviceToHost);
    std::vector<float> g(h.size());
    cudaMemcpy(g.data(), b, h.size() * 4, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 4; ++k) {
        int w = 64 + 16 * k;
        float e = 0;
        for (int y = 12; y < 16; ++y)
            for (int x = 32; x < 64; ++x)
                e += h[k * 4096 + y * w + x];
        bad += r[k] != e;
        for (int y = 0; y < 16; ++y)
            for (int x = 0; x < w; ++x)
                bad += g[k * 4096 + y * w + x] != h[k * 4096 + y * w + x] + (x < 32 && y < 8);
    }
    printf("bad %d\n", bad);
    return bad != 0;
}
