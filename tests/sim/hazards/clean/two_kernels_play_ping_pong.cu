// Two kernels hand a word to and fro; each writes it only while it is its turn.
#include <cuda/atomic>

__device__ int turn, word;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void player(int me) {
    for (int round = 0; round < 4; ++round) {
        while (Flag(turn).load(cuda::memory_order_acquire) != me) {
        }
        word += 1;
        Flag(turn).store(1 - me, cuda::memory_order_release);
    }
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    player<<<1, 1, 0, first>>>(0);
    player<<<1, 1, 0, second>>>(1);
    return cudaDeviceSynchronize();
}
