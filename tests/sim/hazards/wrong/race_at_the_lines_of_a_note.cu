// A vote lies between the first store and its load: a note. Between the second store and its load, on the same two
// lines, there is nothing: an error, which the note must not hide.
// says: The two lanes synchronise only through a shuffle or a vote, which does not order memory accesses.
__device__ int in[64], out[64];

__global__ void shift() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    for (int round = 0; round < 2; ++round) {
        tile[i + 32 * round] = in[i + 32 * round]; // other 1, other 2
        if (round == 0)
            __any_sync(~0u, in[i]);
        out[i + 32 * round] = tile[(i + 1) % 32 + 32 * round];
        // error 1: read-after-write-race, note 2: read-after-write-race
    }
}

int main() {
    shift<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
