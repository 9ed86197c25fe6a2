// says: names lane 16, too
// Half of the lanes name all 32, and the other half only themselves.
__device__ int in[32], out[32];

__global__ void halves() {
    const int lane = threadIdx.x;
    const unsigned mask = lane < 16 ? 0xffffffffu : 0xffff0000u;
    out[lane] = in[lane] + __shfl_xor_sync(mask, in[lane], 1); // error: member-mask
}

int main() {
    halves<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/masks_of_two_halves
Each half names itself.

-    const unsigned mask = lane < 16 ? 0xffffffffu : 0xffff0000u;
+    const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;

== clean/masks_of_one_lane_after_the_other
The lanes come to the instruction several times, each time with the mask of one group that they belong to.

-    const unsigned mask = lane < 16 ? 0xffffffffu : 0xffff0000u;
-    out[lane] = in[lane] + __shfl_xor_sync(mask, in[lane], 1);
+    int sum = in[lane];
+#pragma unroll 1
+    for (int round = 0; round < 2; ++round) {
+        const unsigned mask = round ? 0xffffffffu : lane < 16 ? 0x0000ffffu : 0xffff0000u;
+        sum += __shfl_xor_sync(mask, sum, 1);
+    }
+    out[lane] = sum;
*/
