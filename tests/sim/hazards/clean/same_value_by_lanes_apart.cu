// Lanes that have parted store the same value by one instruction: a note.
// expect: same-value-write
__device__ int flags[2], sink;

__global__ void store() {
    for (int i = 0; i < 2; ++i) {
        flags[i] = 7; // note: same-value-write, other
        if (threadIdx.x == 0)
            for (volatile int k = 0; k < 100; ++k) {
            }
    }
}

int main() {
    store<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
