// The copy is 16 bytes longer than the tile, and the two mbarriers behind it are in use.
// says: Nothing orders that use before the copy, so a thread may still arrive or wait on the mbarrier while its memory becomes data.
// says: The mbarrier is still in use, and the copy destroys its phase and its pending arrivals.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int tile_size = 64;
__device__ alignas(16) int in[tile_size + 4], out[tile_size];

struct Shared {
    int tile[tile_size];
    uint64_t full, next;
};

__global__ void copy() {
    __shared__ alignas(128) Shared shared;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&shared.full, 1);
        ptx::mbarrier_init(&shared.next, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive(&shared.next);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full,
                                       sizeof shared.tile + 16);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, shared.tile, in, sizeof shared.tile + 16,
        // error 1: barrier-reinitialised, error 2: barrier-reinitialised
                           &shared.full);
    }
    while (!ptx::mbarrier_try_wait_parity(&shared.full, 0)) { // other 1
    }
    while (!ptx::mbarrier_try_wait_parity(&shared.next, 0)) { // other 2
    }
    out[threadIdx.x] = shared.tile[threadIdx.x];
}

int main() {
    copy<<<1, tile_size>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/copy_beside_live_mbarriers
The copy ends where the mbarriers begin.

-                                       sizeof shared.tile + 16);
-        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, shared.tile, in, sizeof shared.tile + 16,
-                           &shared.full);
+                                       sizeof shared.tile);
+        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, shared.tile, in, sizeof shared.tile, &shared.full);
*/
