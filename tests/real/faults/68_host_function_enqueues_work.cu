// source: iree#15673, a host function in a stream tries to release more work to the GPU and deadlocks
// cause: The host function calls cudaMemcpyAsync, but host functions must not make CUDA calls.
// rule: failed-call
#include <cstdio>
#include <vector>

constexpr int n = 128;

struct Request {
    int *from, *to;
    cudaStream_t stream;
};

void forward(void* data) { // <-- cause
    const Request& r = *static_cast<Request*>(data);
    cudaMemcpyAsync(r.to, r.from, n * sizeof(int), cudaMemcpyDeviceToDevice, r.stream); // <-- cause
}

__global__ void square(int* values) {
    values[threadIdx.x] *= values[threadIdx.x];
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
        values[i] = i * 7 % 1009;
    return values;
}

std::vector<int> to_host(const int* p, int n) {
    std::vector<int> values(n);
    cudaMemcpy(values.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    const std::vector<int> in = numbers(n);
    Request request{to_device(in), to_device(in), nullptr};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&request.stream);
    square<<<1, n, 0, stream>>>(request.from);
    cudaLaunchHostFunc(stream, forward, &request); // <-- cause
    cudaStreamSynchronize(stream);
    cudaStreamSynchronize(request.stream);
    const std::vector<int> result = to_host(request.to, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != in[i] * in[i];
    return verdict(wrong);
}
