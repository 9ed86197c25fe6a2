// The producer releases its registers only when the consumers have come, and they wait for these registers first.
__device__ int in[384], out[384];

__global__ void __launch_bounds__(384) specialised() {
    if (threadIdx.x < 128) {
        asm volatile("bar.sync 1, 384;" ::: "memory");
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); // error: deadlock
        asm volatile("bar.sync 1, 384;" ::: "memory");
        out[threadIdx.x] = 2 * in[threadIdx.x];
    }
}

int main() {
    specialised<<<1, 384>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/registers_released_at_once
The producer releases them first.
orders: every

-        asm volatile("bar.sync 1, 384;" ::: "memory");
-        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
+        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
+        asm volatile("bar.sync 1, 384;" ::: "memory");

== clean/registers_that_the_launch_has_given
The consumers ask for no more than they have.
orders: every

-        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
+        asm volatile("setmaxnreg.inc.sync.aligned.u32 168;");
*/
