// expect: read-after-write-race
// expect: write-after-write-race
// What follows the exchange is no longer under the lock.
__device__ int lock, sum;

__global__ void add() {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        __threadfence();
        atomicExch(&lock, 0);
        sum += blockIdx.x;
    }
}

int main() {
    add<<<6, 32>>>();
    return cudaDeviceSynchronize();
}
