// Which lanes run together in a branch is up to the hardware.
// says: The mask comes from __activemask()
__device__ int in[32], total;

__global__ void sum(int n) {
    const int i = threadIdx.x;
    if (i < n) {
        const unsigned mask = __activemask();
        int x = in[i];
        for (int step = 8; step > 0; step /= 2)
            x += __shfl_down_sync(mask, x, step); // warning: member-mask
        if (i == 0)
            total = x;
    }
}

int main() {
    sum<<<1, 32>>>(16);
    return cudaDeviceSynchronize();
}

/*
== clean/lanes_of_the_branch_take_part
The mask is computed before the lanes part.

+    const unsigned mask = __ballot_sync(~0u, i < n);
     if (i < n) {
-        const unsigned mask = __activemask();
         int x = in[i];
*/
