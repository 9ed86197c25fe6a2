// expect: read-after-write-race
// A vote lies between the first store and its load: a note. Between the second store and its load, on the same two
// lines, there is nothing: an error, which the note must not hide.
__device__ int in[64], out[64];

__global__ void shift() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    for (int round = 0; round < 2; ++round) {
        tile[i + 32 * round] = in[i + 32 * round];
        if (round == 0)
            __any_sync(~0u, in[i]);
        out[i + 32 * round] = tile[(i + 1) % 32 + 32 * round];
    }
}

int main() {
    shift<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
