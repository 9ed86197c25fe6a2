// Three warps arrive in the phase, and the count is two: the phase completes without the third one.
// says: The thread waited for phase 0 (parity 0) of the mbarrier full, but that phase completed before any thread had written these bytes.
#include <cuda_awbarrier_primitives.h>

__device__ int in[96], out[96];

__global__ void gather() {
    __shared__ int tile[96];
    __shared__ __mbarrier_t full;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&full, 2);
    __syncthreads();
    if (i < 96) {
        tile[i] = in[i]; // other
        __syncwarp();
        if (i % 32 == 0)
            __mbarrier_arrive(&full);
    } else {
        __nanosleep(2000); // until all have arrived
        while (!__mbarrier_test_wait_parity(&full, 0)) { // other
        }
        for (int k = i - 96; k < 96; k += 32)
            out[k] = tile[95 - k]; // error: early-phase
    }
}

int main() {
    gather<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/count_of_all_arrivals
Three warps arrive in the phase, as the count says.

-        __mbarrier_init(&full, 2);
+        __mbarrier_init(&full, 3);
*/
