// expect: deadlock
// The producer keeps more registers than the consumers' setmaxnreg.inc leaves for it. Its neighbour,
// clean/registers_released_by_the_producer.cu, releases enough.
__device__ int in[384], out[384];

__global__ void __launch_bounds__(384) specialised() {
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        out[threadIdx.x] = 2 * in[threadIdx.x];
    }
}

int main() {
    specialised<<<1, 384>>>();
    return cudaDeviceSynchronize();
}
