// Arriving does not wait.
#include <cuda/barrier>

__device__ int middle[128], out[128];
__device__ cuda::barrier<cuda::thread_scope_device> meeting;

__global__ void prepare() {
    init(&meeting, 128);
}

__global__ void reverse() {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    middle[i] = i; // other
    (void)meeting.arrive();
    out[i] = middle[127 - i]; // error: read-after-write-race
}

int main() {
    prepare<<<1, 1>>>();
    reverse<<<2, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/device_scope_barrier
A barrier of device scope in global memory: arrive and wait across blocks.

-    (void)meeting.arrive();
+    meeting.arrive_and_wait();
*/
