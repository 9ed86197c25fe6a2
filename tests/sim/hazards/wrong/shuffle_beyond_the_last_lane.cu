// The last warp of 40 threads has eight lanes, and the sum reads from lanes that do not exist.
// says: does not exist: this warp has only 8 lanes
__device__ int in[40], sums[2];

__global__ void sum() {
    const int i = threadIdx.x;
    int x = in[i];
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(~0u, x, step); // error: member-mask
    if (i % 32 == 0)
        sums[i / 32] = x;
}

int main() {
    sum<<<1, 40>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/shuffle_beyond_the_last_lane_left_out
What comes from lanes that do not exist is not added.

-        x += __shfl_down_sync(~0u, x, step);
+    {
+        const int other = __shfl_down_sync(~0u, x, step);
+        if (i + step < 40)
+            x += other;
+    }
*/
