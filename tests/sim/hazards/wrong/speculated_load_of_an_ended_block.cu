// One thread of each block uses a word that the last block writes, when most blocks have ended.
__device__ int word, out[600][64];

__global__ void speculate(int who) {
    const int i = threadIdx.x;
    int r = 0;
    if (i == who)
        r = word; // other
    out[blockIdx.x][i] = r;
    if (blockIdx.x == gridDim.x - 1 && i == 5)
        word = 1; // error: write-after-read-race
}

int main() {
    speculate<<<600, 64>>>(5);
    return cudaDeviceSynchronize();
}

/*
== clean/speculated_load_of_an_ended_block
At -O3 every thread loads the word, and drops it.

-    speculate<<<600, 64>>>(5);
+    speculate<<<600, 64>>>(99);
*/
