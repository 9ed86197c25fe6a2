// Memory of the heap is registered, and its pages hold other objects, too.
#include <string>
#include <vector>

__global__ void triple(int* data) {
    data[threadIdx.x] *= 3;
}

int main() {
    std::vector<int> first(100, 2), second(1000, 2);
    int* data;
    cudaMalloc(&data, 4000);
    for (std::vector<int>* host : {&first, &second}) {
        const size_t bytes = host->size() * sizeof(int);
        cudaHostRegister(host->data(), bytes, cudaHostRegisterDefault);
        cudaMemcpyAsync(data, host->data(), bytes, cudaMemcpyHostToDevice);
        triple<<<1, host->size()>>>(data);
        cudaMemcpyAsync(host->data(), data, bytes, cudaMemcpyDeviceToHost);
        std::vector<std::string> others(20, std::string(100, 'x'));
        cudaStreamSynchronize(nullptr);
        cudaHostUnregister(host->data());
        if (host->back() != 6 || others[19].size() != 100)
            return 1;
    }
    return cudaDeviceSynchronize();
}
