// Each is a little memory of the checker's.
static void endless_handles(const float*, float*, int) {
    for (;;) {
        cudaEvent_t event;
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaEventCreate(&event);
        cudaEventRecord(event, stream);
        cudaMemsetAsync(nullptr, 0, 0, stream);
    }
}
