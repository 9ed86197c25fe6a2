// A lane reads at once what it and three others have written.
__device__ int out[32];

__global__ void exchange() {
    __shared__ alignas(16) int tile[32];
    const int i = threadIdx.x;
    tile[i] = i; // other
    if (i % 4 == 0) {
        const int4 four = *reinterpret_cast<const int4*>(&tile[i]); // error: read-after-write-race
        out[i] = four.x + four.y + four.z + four.w;
    }
}

int main() {
    exchange<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/vector_of_neighbours_words_after_syncwarp
A lane reads at once what it and three others have written, after they have met.

     tile[i] = i;
+    __syncwarp();
*/
