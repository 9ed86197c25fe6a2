// Hunt 08.h1: the checksum warp
// Decodes packets: a loader warp copies them into a ring, decoder warps undo the mask, and a checksum warp adds up the
// words of each packet as they came. The checksum warp is new. Since it was added, some words of a packet are those of
// a later one, or the program hangs; but only if there are more packets than stages.
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

constexpr int WORDS = 64; // of a packet
constexpr int STAGES = 3;
constexpr int DECODERS = 2;           // warps; each decodes half a packet
constexpr int READERS = DECODERS + 1; // warps that read a stage, and release it when they have
constexpr int LOADER = 0, FIRST_DECODER = 1, CHECKSUM = FIRST_DECODER + DECODERS;
constexpr int THREADS = 32 * (CHECKSUM + 1);

struct Ring {
    unsigned packet[STAGES][WORDS];
    uint64_t full[STAGES];  // the loader's lanes arrive when their copies are complete
    uint64_t empty[STAGES]; // one lane of each reading warp arrives
};

__device__ void release(Ring& ring, int stage) {
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        arrive(&ring.empty[stage]);
}

__global__ void __launch_bounds__(THREADS)
    decode(const unsigned* packets, unsigned mask, unsigned* decoded, unsigned* checksums, int count) {
    __shared__ Ring ring;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < STAGES) {
        init(&ring.full[threadIdx.x], 32);
        init(&ring.empty[threadIdx.x], READERS);
    }
    __syncthreads();

    for (int k = 0; k < count; ++k) {
        const int stage = k % STAGES;
        const unsigned lap = k / STAGES;
        if (warp == LOADER) {
            wait(&ring.empty[stage], (lap + 1) % 2);
            for (int i = lane; i < WORDS; i += 32)
                copy_4(&ring.packet[stage][i], &packets[k * WORDS + i]);
            arrive_when_copied(&ring.full[stage]);
        } else if (warp == CHECKSUM) {
            wait(&ring.full[stage], lap % 2);
            unsigned sum = 0;
            for (int i = lane; i < WORDS; i += 32)
                sum += ring.packet[stage][i];
            release(ring, stage);
            for (int distance = 16; distance > 0; distance /= 2)
                sum += __shfl_down_sync(~0u, sum, distance);
            if (lane == 0)
                checksums[k] = sum;
        } else {
            const int i = (warp - FIRST_DECODER) * 32 + lane;
            wait(&ring.full[stage], lap % 2);
            const unsigned word = ring.packet[stage][i];
            release(ring, stage);
            decoded[k * WORDS + i] = word ^ mask;
        }
    }
}

/// `packets` and `decoded` hold `count` packets of 64 words each; `checksums` is one word for each packet.
void launch(const unsigned* packets, unsigned mask, unsigned* decoded, unsigned* checksums, int count,
            cudaStream_t stream) {
    decode<<<1, THREADS, 0, stream>>>(packets, mask, decoded, checksums, count);
}

LAB_ENTRY(launch)
