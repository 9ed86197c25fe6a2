// source: pyg_autoscale#19, an upload is called cudaMemcpyDeviceToHost
// cause: The copy goes from the host to the device, but its kind says the opposite, so it is refused.
// rule: failed-call
#include <cstdio>
#include <vector>

constexpr int n = 128;

__global__ void gather(const float* table, const int* index, float* out) {
    out[threadIdx.x] = table[index[threadIdx.x]];
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    float host_table[n], result[n];
    int host_index[n];
    for (int i = 0; i < n; ++i) {
        host_table[i] = 0.25f * i;
        host_index[i] = i * 37 % n;
    }
    float *table, *out;
    int* index;
    cudaMalloc(&table, sizeof host_table);
    cudaMalloc(&index, sizeof host_index);
    cudaMalloc(&out, sizeof result);
    cudaMemset(table, 0, sizeof host_table);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(index, host_index, sizeof host_index, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(table, host_table, sizeof host_table, cudaMemcpyDeviceToHost, stream); // <-- cause
    gather<<<1, n, 0, stream>>>(table, index, out);
    cudaMemcpyAsync(result, out, sizeof result, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != host_table[host_index[i]];
    return verdict(wrong);
}
