// expect: early-phase
// Every half goes to all four blocks.
// Drill 19.2: masks of a square
// Four blocks form two rows of two. The blocks of a row need the same a, those of a column the same b. Each block
// loads one half of both: half `column` of its row's a, and half `row` of its column's b. Which blocks does each
// half go to? multicast(to, from, count, barrier, ranks) loads into all blocks whose bit is set.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 4; // two rows of two blocks: block r is in row r / 2, column r % 2
constexpr int WIDE = 64, HALF = WIDE / 2;
constexpr int STAGES = 3;
constexpr int WARPS = WIDE / 32, THREADS = WIDE + 32; // that consume; and a warp that loads

struct Shared {
    alignas(128) unsigned a[STAGES][WIDE], b[STAGES][WIDE];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity))
        ;
}

// Loads `count` values into every block whose rank is set in `ranks`, to the same address and with the same barrier.
__device__ void multicast(void* to, const unsigned* from, int count, uint64_t* barrier, uint16_t ranks) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(unsigned(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(4 * count), "r"(unsigned(__cvta_generic_to_shared(barrier))), "h"(ranks)
                 : "memory");
}

// Arrives on the barrier at the same address in the block with this rank. The threads have read the stage with ordinary
// loads, so the arrival has the scope of the cluster.
__device__ void arrive(uint64_t* barrier, int rank) {
    uint64_t* const there = cooperative_groups::this_cluster().map_shared_rank(barrier, rank);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, there);
}

// `a` is what the blocks of this row need, `b` what those of this column need. Each block loads one half of both.
__device__ void produce(Shared& s, const unsigned* a, const unsigned* b, int rank, int steps) {
    const int row = rank / 2, column = rank % 2;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % STAGES;
        wait(&s.empty[stage], (step / STAGES + 1) % 2);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                       sizeof s.a[stage] + sizeof s.b[stage]);
        // TODO(1): load half `column` of a for the blocks of this row, and half `row` of b for those of this column.
        multicast(s.a[stage] + column * HALF, a + step * WIDE + column * HALF, HALF, &s.full[stage], 0b1111);
        multicast(s.b[stage] + row * HALF, b + step * WIDE + row * HALF, HALF, &s.full[stage], 0b1111);
        // END TODO(1)
    }
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    cross(const unsigned* a, const unsigned* b, unsigned* out, int steps) {
    __shared__ Shared s;
    const int rank = cooperative_groups::this_cluster().block_rank();
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], 3 * WARPS);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cooperative_groups::this_cluster().sync();

    unsigned sum = 0;
    if (threadIdx.x == WIDE)
        produce(s, a + rank / 2 * steps * WIDE, b + rank % 2 * steps * WIDE, rank, steps);
    if (threadIdx.x < WIDE)
        for (int step = 0; step < steps; ++step) {
            const int stage = step % STAGES;
            wait(&s.full[stage], step / STAGES % 2);
            sum += s.a[stage][threadIdx.x] * s.b[stage][threadIdx.x];
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (lane < CLUSTER && lane != (rank ^ 3)) // not the block in the other row and the other column
                arrive(&s.empty[stage], lane);
        }
    if (threadIdx.x < WIDE)
        out[blockIdx.x * WIDE + threadIdx.x] = sum;
    cooperative_groups::this_cluster().sync();
}

/// `a`, `b`: two rows and two columns, each of `steps` times 64 values. `out`: for each of the four blocks 64 sums of
/// products of its row and its column.
void launch(const unsigned* a, const unsigned* b, unsigned* out, int steps, cudaStream_t stream) {
    cross<<<CLUSTER, THREADS, 0, stream>>>(a, b, out, steps);
}

LAB_ENTRY(launch)
