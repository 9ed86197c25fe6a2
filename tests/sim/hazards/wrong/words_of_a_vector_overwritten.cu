// Vectors that one warp reads are overwritten word by word by another.
__device__ alignas(16) int in[128], out[128];

__global__ void exchange() {
    __shared__ alignas(16) int tile[128];
    const int i = threadIdx.x;
    for (int k = i; k < 128; k += 64)
        tile[k] = in[k];
    __syncthreads();
    int4 mine{};
    if (i < 32)
        mine = *reinterpret_cast<const int4*>(&tile[4 * i]); // other
    if (i >= 32)
        tile[i] = i; // error: write-after-read-race
    if (i < 32)
        *reinterpret_cast<int4*>(&out[4 * i]) = mine;
}

int main() {
    exchange<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/words_of_a_vector_overwritten_after_the_barrier
Vectors that one warp has read are overwritten word by word by another.

         mine = *reinterpret_cast<const int4*>(&tile[4 * i]);
+    __syncthreads();
*/
