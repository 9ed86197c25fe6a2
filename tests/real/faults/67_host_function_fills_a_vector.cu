// source: cccl#3814, a copy from a temporary pageable buffer misses what a host function enqueued before it writes
//     there
// cause: The copy takes the pageable buffer's bytes when it is called, before the host function in front of it has
//     written them.
// rule: source-filled-too-late
#include <cstdio>
#include <vector>

constexpr int n = 512;

struct Table {
    float entries[n];
};

void tabulate(void* table) {
    for (int i = 0; i < n; ++i)
        static_cast<Table*>(table)->entries[i] = 0.5f * i; // <-- cause
}

__global__ void look_up(const Table* table, float* out) {
    out[threadIdx.x] = table->entries[(threadIdx.x * 5) % n];
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    std::vector<Table> local(1);
    Table* table;
    float *out, result[n];
    cudaMalloc(&table, sizeof *table);
    cudaMalloc(&out, sizeof result);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, tabulate, local.data());                                  // <-- cause
    cudaMemcpyAsync(table, local.data(), sizeof *table, cudaMemcpyHostToDevice, stream); // <-- cause
    look_up<<<1, n, 0, stream>>>(table, out);
    cudaStreamSynchronize(stream);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 0.5f * (i * 5 % n);
    return verdict(wrong);
}
