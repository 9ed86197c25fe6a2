// Hints about memory that is not managed fail, and so do ranges that are too long.
int main() {
    int *memory, *managed;
    cudaMalloc(&memory, 64);
    cudaMallocManaged(&managed, 64);
    cudaStreamAttachMemAsync(nullptr, memory, 0, cudaMemAttachGlobal); // error: failed-call
    cudaStreamAttachMemAsync(nullptr, managed, 0, cudaMemAttachSingle); // error 2: failed-call
    return cudaDeviceSynchronize();
}
