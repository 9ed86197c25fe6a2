// expect: case "the host waits for uploads only"
// The host waits for the kernel, too.
// Drill 00.4: before you refill
// All chunks pass through one pinned staging buffer. The host may fill it again only when the upload of the previous
// chunk has read it. Wait for that upload, but not for the kernel after it. You need:
//     cudaEventSynchronize(event)     the host waits for the work that the event stands for; for an event that has not
//                                     been recorded yet, it returns at once
#include "lab.h"

constexpr int CHUNK = 256;

__global__ void square(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

/// `in`: n numbers in pageable host memory. `device` and `out`: n numbers in device memory. n is a multiple of CHUNK.
void launch(const int* in, int* device, int* out, int n, cudaStream_t stream) {
    int* staging;
    cudaEvent_t uploaded;
    cudaMallocHost(&staging, CHUNK * sizeof(int));
    cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming);

    for (int begin = 0; begin < n; begin += CHUNK) {
        // TODO(1): who may still be reading the staging buffer?
        cudaStreamSynchronize(stream);
        // END TODO(1)
        for (int i = 0; i < CHUNK; ++i)
            staging[i] = in[begin + i];
        cudaMemcpyAsync(device + begin, staging, CHUNK * sizeof(int), cudaMemcpyHostToDevice, stream);
        cudaEventRecord(uploaded, stream);
        square<<<1, CHUNK, 0, stream>>>(device + begin, out + begin);
    }

    cudaStreamSynchronize(stream);
    cudaEventDestroy(uploaded);
    cudaFreeHost(staging);
}

LAB_ENTRY(launch)
