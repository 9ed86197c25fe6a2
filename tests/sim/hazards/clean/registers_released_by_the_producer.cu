// A warpgroup releases registers, and two others ask for them: 40 + 2 * 232 is 3 * 168, and a thread is launched with 168.
__device__ int in[384], out[384];

__global__ void __launch_bounds__(384) specialised() {
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        out[threadIdx.x] = 2 * in[threadIdx.x];
    }
}

int main() {
    specialised<<<1, 384>>>();
    return cudaDeviceSynchronize();
}
