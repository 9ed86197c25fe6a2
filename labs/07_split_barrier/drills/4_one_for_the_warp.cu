// Drill 07.4: one arrival for a warp.
// Four warps write 32 numbers each, and a fifth one collects them. The barrier expects one arrival from each writing
// warp, not 32. Let one lane arrive when all lanes of its warp have written.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda_awbarrier_primitives.h>

namespace cg = cooperative_groups;
constexpr int WARP = 32, WRITERS = 4; // warps that write, plus one that collects
constexpr int THREADS = WARP * (WRITERS + 1);

__device__ void wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    while (!__mbarrier_test_wait(barrier, token))
        ;
}

// You need:
//     __syncwarp();                               orders what the lanes did before it before what they do after it
//     cg::invoke_one(warp, [&] { … });            one lane of the group executes the function
__global__ void __launch_bounds__(THREADS) collect(const int* in, int* out) {
    __shared__ int squares[WRITERS][WARP];
    __shared__ __mbarrier_t written;
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    const int lane = warp.thread_rank(), rank = warp.meta_group_rank();
    if (threadIdx.x == 0)
        __mbarrier_init(&written, WRITERS + WARP); // one for each writing warp; one for each lane that needs a token
    __syncthreads();

    if (rank < WRITERS) {
        const int x = in[rank * WARP + lane];
        squares[rank][lane] = x * x;
        // TODO(1): one arrival for the warp, when all its lanes have written.
        // END TODO(1)
    } else {
        wait(&written, __mbarrier_arrive(&written));
        int sum = 0;
        for (int r = 0; r < WRITERS; ++r)
            sum += squares[r][WARP - 1 - lane];
        out[lane] = sum;
    }
}

/// `in` has 128 integers, and `out` has 32.
void launch(const int* in, int* out, cudaStream_t stream) {
    collect<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
