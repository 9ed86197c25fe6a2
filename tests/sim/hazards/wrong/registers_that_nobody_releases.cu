// The producer keeps more registers than the consumers' setmaxnreg.inc leaves for it. Its neighbour,
// clean/registers_released_by_the_producer.cu, releases enough.
// says: After their last setmaxnreg, the warps of the block want 66560 registers together, but the 384 threads of the block cannot have been launched with more than 168 each, which makes 64512. On a GPU, setmaxnreg.inc waits for ever.
__device__ int in[384], out[384];

__global__ void __launch_bounds__(384) specialised() {
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); // error: deadlock
        out[threadIdx.x] = 2 * in[threadIdx.x];
    }
}

int main() {
    specialised<<<1, 384>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/registers_released_by_the_producer
A warpgroup releases registers, and two others ask for them: 40 + 2 * 232 is 3 * 168, and a thread is launched with 168.

-        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
+        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
*/
