// expect: read-after-write-race
// Only a shuffle lies between the store and another lane's load. It does not order memory, but code relies on it: a
// note.
__device__ int in[32], out[32];

__global__ void reverse() {
    __shared__ int tile[32];
    const int i = threadIdx.x;
    tile[i] = in[i];
    const int next = __shfl_down_sync(~0u, in[i], 1);
    out[i] = tile[31 - i] + next;
}

int main() {
    reverse<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
