// Lanes of one warp spin on the locks of four buckets. Those that get a lock go on while the others spin.
__device__ int locks[4], sizes[4], table[4][32];

__global__ void insert() {
    const int bucket = threadIdx.x * 7 % 1009 % 4;
    while (atomicCAS(&locks[bucket], 0, 1) == 1) {
    }
    __threadfence();
    const int place = sizes[bucket];
    table[bucket][place] = threadIdx.x;
    sizes[bucket] = place + 1;
    __threadfence();
    atomicExch(&locks[bucket], 0);
}

int main() {
    insert<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
