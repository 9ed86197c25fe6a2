// A block doubles matrices of different widths, one after the other. Its producer makes a tensor map of each, while
// loads with the map before it may still be in flight.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int side = 16, stages = 4, consumers = 64;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// Makes `map`, in global memory, a map of a matrix with this many columns. Called by a warp, which may use it then.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, const float* base, int columns) {
    if (threadIdx.x % 32 == 0) {
        ptx::tensormap_replace_global_address(ptx::space_shared, scratch, base);
        ptx::tensormap_replace_global_dim(ptx::space_shared, scratch, ptx::n32_t<0>{}, columns);
#if STRIDE == replaced
        ptx::tensormap_replace_global_stride(ptx::space_shared, scratch, ptx::n32_t<0>{}, sizeof(float) * uint64_t(columns));
#endif
    }
#if SYNC == on
    __syncwarp();
#endif
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, ptx::n32_t<128>{});
#if ACQUIRE == on
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, ptx::n32_t<128>{});
#endif
}

__global__ void twice(const __grid_constant__ CUtensorMap form, const float* in, float* out, CUtensorMap* maps, int matrices) {
    __shared__ alignas(128) float ring[stages][side][side];
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ uint64_t full[stages], empty[stages];
    const int t = threadIdx.x;
    if (t == 0) {
        scratch = form;
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], consumers);
        }
    }
    __syncthreads();
    int tiles = 0; // before this matrix, which has m + 1 of them
    if (t < 32) {
        int last[2] = {-1, -1}; // the last load with each map
        for (int m = 0; m < matrices; tiles += ++m) {
            const int which = m % MAPS;
#if FREE == waits
            if (const int load = last[which]; load >= 0 && tiles <= load + stages)
                wait(&empty[load % stages], load / stages % 2);
#endif
            publish(&maps[which], &scratch, in + side * side * tiles, side * (m + 1));
            for (int k = tiles; k < tiles + m + 1; ++k) {
                const int s = k % stages;
                wait(&empty[s], k / stages % 2 ^ 1);
                if (t == 0) {
                    const int32_t at[] = {side * (k - tiles), 0};
                    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof ring[s]);
                    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring[s], &maps[which], at, &full[s]);
                }
                __syncwarp();
            }
            last[which] = tiles + m;
        }
    } else {
        for (int m = 0; m < matrices; tiles += ++m)
            for (int k = tiles; k < tiles + m + 1; ++k) {
                const int s = k % stages;
                wait(&full[s], k / stages % 2);
                for (int i = t - 32; i < side * side; i += consumers)
                    out[side * side * tiles + i / side * side * (m + 1) + side * (k - tiles) + i % side] = 2 * ring[s][i / side][i % side];
                ptx::fence_proxy_async(ptx::space_shared);
                ptx::mbarrier_arrive(&empty[s]);
            }
    }
}
