// %lanemask_lt names the lanes before this one, not this one.
// says: is not in its own mask
__device__ int in[32], out[32];

__device__ unsigned lanes_before() {
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

__global__ void ranks() {
    const int i = threadIdx.x;
    out[i] = __popc(__ballot_sync(lanes_before(), in[i] > 0)); // error: member-mask
}

int main() {
    ranks<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/ballot_of_all_lanes
All lanes vote, and each counts those before it.

-    out[i] = __popc(__ballot_sync(lanes_before(), in[i] > 0));
+    out[i] = __popc(__ballot_sync(~0u, in[i] > 0) & lanes_before());
*/
