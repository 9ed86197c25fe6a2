// Lab 00: host copies.   out[i] = 3·in[i] + 1, chunk by chunk: the device receives, transforms and returns one chunk
// while the host prepares the next one and adds up an earlier one.
#include "lab.h"

#include <algorithm>
#include <cstdlib>

constexpr int CHUNK = 8192; // numbers: 32 KiB
constexpr int SLOTS = 2;    // chunks in flight

__global__ void transform(uint32_t* x, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = 3 * x[i] + 1;
}

struct Slot {
    uint32_t* staging = nullptr; // CHUNK numbers in host memory, for the upload
    uint32_t* device = nullptr;  // CHUNK numbers in device memory
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr; // completes when the chunk's work in the stream has
    uint32_t* result = nullptr; // destination of the chunk in flight
    int count = 0;              // its size; 0: no chunk is in flight
};

void open(Slot& slot) {
    // TODO(1): from which memory can the GPU copy while the host continues?
    slot.staging = static_cast<uint32_t*>(std::malloc(CHUNK * sizeof(uint32_t))); // placeholder: pageable
    // END TODO(1)
    cudaMalloc(&slot.device, CHUNK * sizeof(uint32_t));
    cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming);
}

// Issues the work of one chunk and returns at once.
void start(Slot& slot, const uint32_t* in, uint32_t* out, int count) {
    slot.result = out;
    slot.count = count;
    std::memcpy(slot.staging, in, count * sizeof(uint32_t));
    // TODO(2): issue upload, kernel and download asynchronously in the slot's stream, then record the event.
    // Placeholder: each step waits for the previous one.
    cudaMemcpy(slot.device, slot.staging, count * sizeof(uint32_t), cudaMemcpyHostToDevice);
    transform<<<(count + 255) / 256, 256>>>(slot.device, count);
    cudaMemcpy(out, slot.device, count * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    // END TODO(2)
}

// Returns the sum of the chunk in flight.
uint64_t finish(Slot& slot) {
    // TODO(3): the call no longer waits. Where is the wait needed now?
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
    // TODO(5): std::free does not free pinned memory.
    std::free(slot.staging);
    // END TODO(5)
}

/// `in`: n numbers in pageable host memory. `out`: n numbers in pinned host memory. `sum`: one number.
cudaError_t launch(const uint32_t* in, uint32_t* out, int n, uint64_t* sum) {
    Slot slots[SLOTS];
    for (Slot& slot : slots)
        open(slot);
    *sum = 0;
    int chunk = 0;
    // An error of any call ends the loop, and is returned.
    for (int begin = 0; begin < n && cudaPeekAtLastError() == cudaSuccess; begin += CHUNK, ++chunk) {
        Slot& slot = slots[chunk % SLOTS];
        *sum += finish(slot); // the chunk that was started SLOTS chunks ago
        start(slot, in + begin, out + begin, std::min(CHUNK, n - begin));
    }
    // TODO(4): what is still in flight?
    // END TODO(4)
    for (Slot& slot : slots)
        close(slot);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
