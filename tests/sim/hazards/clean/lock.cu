// A spin lock: compare-and-swap and a fence to take it, a fence and an exchange to give it back.
__device__ int lock, sum;

__global__ void add() {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        sum += blockIdx.x;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

int main() {
    add<<<6, 32>>>();
    return cudaDeviceSynchronize();
}
