// Hunt 00.h1: thumbnails
// A camera driver delivers frames in pageable memory. They pass through a ring of pinned buffers; the device averages
// pairs of pixels and sends the small frame back. Every slot of the ring has a stream, so that frames overlap. With two
// slots this ran for years. Since the ring has three, a small frame sometimes shows a mixture of two frames.
#include "lab.h"

#include <cstring>

constexpr int PIXELS = 1024;
constexpr int SLOTS = 3; // was 2

__global__ void average_pairs(const unsigned short* frame, unsigned short* small) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PIXELS / 2)
        small[i] = (frame[2 * i] + frame[2 * i + 1]) / 2;
}

struct Slot {
    unsigned short* staging; // pinned, for the upload
    unsigned short* frame;   // in device memory
    unsigned short* small;   // in device memory
    cudaStream_t stream;
    cudaEvent_t uploaded; // `staging` has been read
};

class Thumbnails {
  public:
    Thumbnails() {
        for (Slot& slot : slots_) {
            cudaMallocHost(&slot.staging, PIXELS * sizeof(unsigned short));
            cudaMalloc(&slot.frame, PIXELS * sizeof(unsigned short));
            cudaMalloc(&slot.small, PIXELS / 2 * sizeof(unsigned short));
            cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking);
            cudaEventCreateWithFlags(&slot.uploaded, cudaEventDisableTiming);
        }
    }
    ~Thumbnails() {
        for (Slot& slot : slots_) {
            cudaEventDestroy(slot.uploaded);
            cudaStreamDestroy(slot.stream);
            cudaFree(slot.small);
            cudaFree(slot.frame);
            cudaFreeHost(slot.staging);
        }
    }

    // Returns at once, unless all slots are busy.
    void push(const unsigned short* frame, unsigned short* small) {
        Slot& slot = next();
        std::memcpy(slot.staging, frame, PIXELS * sizeof(unsigned short));
        cudaMemcpyAsync(slot.frame, slot.staging, PIXELS * sizeof(unsigned short), cudaMemcpyHostToDevice, slot.stream);
        cudaEventRecord(slot.uploaded, slot.stream);
        average_pairs<<<PIXELS / 2 / 128, 128, 0, slot.stream>>>(slot.frame, slot.small);
        cudaMemcpyAsync(small, slot.small, PIXELS / 2 * sizeof(unsigned short), cudaMemcpyDeviceToHost, slot.stream);
    }

    void finish() {
        for (Slot& slot : slots_)
            cudaStreamSynchronize(slot.stream);
    }

  private:
    // The slot for the next frame. Its staging buffer may be filled.
    Slot& next() {
        if (pushed_ >= SLOTS)
            cudaEventSynchronize(slots_[pushed_ % SLOTS].uploaded);
        return slots_[pushed_++ % SLOTS];
    }

    Slot slots_[SLOTS];
    int pushed_ = 0;
};

/// `frames`: `count` frames in pageable host memory. `small`: as many small frames in pinned host memory.
cudaError_t launch(const unsigned short* frames, unsigned short* small, int count) {
    Thumbnails thumbnails;
    for (int i = 0; i < count; ++i)
        thumbnails.push(frames + i * PIXELS, small + i * (PIXELS / 2));
    thumbnails.finish();
    return cudaGetLastError();
}

LAB_ENTRY(launch)
