// How labs 11 to 21 choose the thread that issues copies, and how they wait for the bytes. Labs 09 and 10 write both
// out. A kernel that you take elsewhere takes these two functions with it.
#pragma once

#include <cstdint>
#include <cuda/ptx>

/// True in one lane of a converged warp, always the same lane. Unlike with `threadIdx.x == 0`, the compiler knows that
/// only one lane continues.
__device__ inline bool elected() {
    unsigned one;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(one));
    return one;
}

/// Returns when the phase of that parity is complete. On a fresh barrier, parity 1 counts as complete.
__device__ inline void wait(uint64_t* barrier, unsigned parity) {
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}
