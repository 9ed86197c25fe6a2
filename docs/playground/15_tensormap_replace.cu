// Each block makes a tensor map for its own matrix from a template, and loads the matrix with it.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void load(const __grid_constant__ CUtensorMap form, const float* in, float* out, CUtensorMap* maps) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) float tile[16][16];
    __shared__ uint64_t full;
    CUtensorMap* map = &maps[blockIdx.x];
    const float* matrix = in + 256 * blockIdx.x;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_init(&full, 1);
            scratch = form;
#if REPLACE == yes
            ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, matrix);
#endif
        }
#if SYNC == yes
        __syncwarp(); // one lane has written the map
#endif
#if RELEASE == yes
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, &scratch, ptx::n32_t<128>{});
#else
        reinterpret_cast<int*>(map)[threadIdx.x] = reinterpret_cast<const int*>(&scratch)[threadIdx.x];
        __syncwarp();
#endif
    }
    if (threadIdx.x == 0) {
#if ACQUIRE == yes
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});
#endif
        const int32_t at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &full);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    for (int i = threadIdx.x; i < 256; i += 64)
        out[256 * blockIdx.x + i] = 2 * tile[i / 16][i % 16];
}
