// The host and a kernel take turns through flags in memory that both see: each waits for the other's before it goes on.
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void answer(int* data, int* asked, int* answered) {
    Flag question(*asked), reply(*answered);
    for (int round = 1; round <= 3; ++round) {
        while (question.load(cuda::memory_order_acquire) != round) {
        }
        *data += 1;
        reply.store(round, cuda::memory_order_release);
    }
}

int main() {
    int* shared;
    cudaMallocManaged(&shared, 3 * 4096);
    int *data = shared, *asked = shared + 1024, *answered = shared + 2048;
    *data = *asked = *answered = 0;
    answer<<<1, 1>>>(data, asked, answered);
    Flag question(*asked), reply(*answered);
    for (int round = 1; round <= 3; ++round) {
        *data += 10;
        question.store(round, cuda::memory_order_release);
        while (reply.load(cuda::memory_order_acquire) != round) {
        }
    }
    return cudaDeviceSynchronize() + *data - 33;
}
