// Hunt 08.h2: row by row
// Adds up the rows of a matrix. A loader warp streams the tiles of one row after the other through a ring, and a second
// warp adds them up. One block used to have one row; now it has several. Matrices with 6 or 12 tiles in a row come out
// right, but with 3 or 4 tiles in a row the program hangs or the sums are wrong.
#include "lab.h"

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Begins phase 0. Each phase of the barrier expects `count` arrivals.
__device__ void init(uint64_t* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

// Makes one arrival.
__device__ void arrive(uint64_t* barrier) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(shared_address(barrier))
                 : "memory");
}

// Arrives for this thread when all its copies so far are complete. The arrival is one of those that init expects.
__device__ void arrive_when_copied(uint64_t* barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// Asks once: is the phase of that parity complete?
__device__ bool is_complete(uint64_t* barrier, unsigned parity) {
    unsigned yes;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(yes)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return yes;
}

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!is_complete(barrier, parity))
        ;
}

__device__ void copy_4(void* shared, const void* global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(shared)), "l"(global) : "memory");
}

constexpr int TILE = 64; // numbers
constexpr int STAGES = 3;

struct Ring {
    unsigned tile[STAGES][TILE];
    uint64_t full[STAGES], empty[STAGES];
};

// Where a role is in the ring.
struct Position {
    int tiles = 0; // that have gone through
    __device__ int stage() const { return tiles % STAGES; }
    __device__ unsigned lap() const { return tiles / STAGES; }
};

__device__ void load_row(Ring& ring, Position& at, const unsigned* row, int tiles) {
    const int lane = threadIdx.x % 32;
    for (int k = 0; k < tiles; ++k, ++at.tiles) {
        wait(&ring.empty[at.stage()], (at.lap() + 1) % 2);
        for (int i = lane; i < TILE; i += 32)
            copy_4(&ring.tile[at.stage()][i], &row[k * TILE + i]);
        arrive_when_copied(&ring.full[at.stage()]);
    }
}

__device__ unsigned add_row(Ring& ring, Position& at, int tiles) {
    const int lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int k = 0; k < tiles; ++k, ++at.tiles) {
        wait(&ring.full[at.stage()], at.lap() % 2);
        for (int i = lane; i < TILE; i += 32)
            sum += ring.tile[at.stage()][i];
        __syncwarp();
        if (lane == 0)
            arrive(&ring.empty[at.stage()]);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    return sum;
}

__global__ void __launch_bounds__(64) sum_rows(const unsigned* matrix, unsigned* sums, int rows, int tiles) {
    __shared__ Ring ring;
    if (threadIdx.x < STAGES) {
        init(&ring.full[threadIdx.x], 32);
        init(&ring.empty[threadIdx.x], 1);
    }
    __syncthreads();

    const bool loader = threadIdx.x < 32;
    Position at;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        if (loader) {
            load_row(ring, at, &matrix[size_t(row) * tiles * TILE], tiles);
        } else {
            const unsigned sum = add_row(ring, at, tiles);
            if (threadIdx.x == 32)
                sums[row] = sum;
        }
    }
}

/// `matrix` has `rows` rows of `tiles` * 64 numbers; `sums` is one number for each row.
void launch(const unsigned* matrix, unsigned* sums, int rows, int tiles, cudaStream_t stream) {
    sum_rows<<<2, 64, 0, stream>>>(matrix, sums, rows, tiles);
}

LAB_ENTRY(launch)
