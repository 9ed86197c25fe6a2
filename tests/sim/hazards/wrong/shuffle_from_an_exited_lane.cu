// Lanes beyond the end have left the kernel when the others read from them.
// says: has left the kernel
__device__ int in[32], total;

__global__ void sum(int n) {
    const int i = threadIdx.x;
    if (i >= n)
        return;
    int x = in[i];
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(~0u, x, step); // error: member-mask
    if (i == 0)
        total = x;
}

int main() {
    sum<<<1, 32>>>(20);
    return cudaDeviceSynchronize();
}

/*
== clean/neutral_value_beyond_the_end
All lanes take part in the sum, those beyond the end with 0.

-    if (i >= n)
-        return;
-    int x = in[i];
+    int x = i < n ? in[i] : 0;
*/
