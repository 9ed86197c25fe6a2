// Sixteen lanes shuffle, and half of them read from lanes that are not in the mask.
// says: is not in the mask 0x0000ffff
__device__ int in[32], out[32];

__global__ void pairs() {
    const int i = threadIdx.x;
    int x = in[i];
    if (i < 16)
        x += __shfl_xor_sync(0xffff, x, 16); // error: member-mask
    out[i] = x;
}

int main() {
    pairs<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/shuffle_within_the_mask
Lanes beyond the width deliver a lane's own value, and a tree whose last lanes get nothing useful ends in lane 0.

-        x += __shfl_xor_sync(0xffff, x, 16);
-    out[i] = x;
+        for (int step = 8; step > 0; step /= 2)
+            x += __shfl_down_sync(0xffff, x, step);
+    if (i == 0)
+        out[i] = x;
*/
