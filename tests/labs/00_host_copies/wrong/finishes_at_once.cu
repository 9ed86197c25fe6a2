// expect: case "two chunks are in flight"
// The host waits for the chunk that it has just asked for.
// Lab 00: copies from and to the host.   out[i] = 3·in[i] + 1, in chunks that are uploaded, computed and downloaded
// while the host prepares the next chunk and adds up an earlier one.
#include "lab.h"

#include <algorithm>
#include <cstdlib>

constexpr int CHUNK = 8192; // numbers: 32 KiB
constexpr int SLOTS = 2;    // chunks under way

__global__ void transform(uint32_t* x, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = 3 * x[i] + 1;
}

struct Slot {
    uint32_t* staging = nullptr; // CHUNK numbers of the host's, on their way to the device
    uint32_t* device = nullptr;  // CHUNK numbers of the device's
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr; // everything that was asked for in the stream up to here
    uint32_t* result = nullptr; // where the chunk under way is downloaded to
    int count = 0;              // its size; 0: no chunk is under way
};

void open(Slot& slot) {
    // TODO(1): which memory can be copied from while the host goes on?
    cudaMallocHost(&slot.staging, CHUNK * sizeof(uint32_t)); // pinned
    // END TODO(1)
    cudaMalloc(&slot.device, CHUNK * sizeof(uint32_t));
    cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming);
}

// Asks for one chunk and returns at once.
void start(Slot& slot, const uint32_t* in, uint32_t* out, int count) {
    slot.result = out;
    slot.count = count;
    std::memcpy(slot.staging, in, count * sizeof(uint32_t));
    // TODO(2): upload, compute, download, and mark the end of it: all asynchronous, all in the slot's stream
    const size_t bytes = count * sizeof(uint32_t);
    cudaMemcpyAsync(slot.device, slot.staging, bytes, cudaMemcpyHostToDevice, slot.stream);
    transform<<<(count + 255) / 256, 256, 0, slot.stream>>>(slot.device, count);
    cudaMemcpyAsync(out, slot.device, bytes, cudaMemcpyDeviceToHost, slot.stream);
    cudaEventRecord(slot.done, slot.stream);
    // END TODO(2)
}

// The sum of the chunk under way.
uint64_t finish(Slot& slot) {
    // TODO(3): where did the wait move to?
    if (slot.count > 0)
        cudaEventSynchronize(slot.done);
    // END TODO(3)
    uint64_t sum = 0;
    for (int i = 0; i < slot.count; ++i)
        sum += slot.result[i];
    slot.count = 0;
    return sum;
}

void close(Slot& slot) {
    cudaEventDestroy(slot.done);
    cudaStreamDestroy(slot.stream);
    cudaFree(slot.device);
    // TODO(5): pinned memory is not freed with std::free
    cudaFreeHost(slot.staging);
    // END TODO(5)
}

/// `in` is an array of n numbers in pageable memory of the host, `out` one in pinned memory; `sum` is one number.
cudaError_t launch(const uint32_t* in, uint32_t* out, int n, uint64_t* sum) {
    Slot slots[SLOTS];
    for (Slot& slot : slots)
        open(slot);
    *sum = 0;
    int chunk = 0;
    for (int begin = 0; begin < n; begin += CHUNK, ++chunk) {
        Slot& slot = slots[chunk % SLOTS];
        *sum += finish(slot); // the chunk that was started SLOTS chunks ago
        start(slot, in + begin, out + begin, std::min(CHUNK, n - begin));
        *sum += finish(slot);
    }
    // TODO(4): what is still under way?
    for (Slot& slot : slots)
        *sum += finish(slot);
    // END TODO(4)
    for (Slot& slot : slots)
        close(slot);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
