// source: onnxruntime#32121, a captured copy reads its pinned staging buffer again at each replay, after the buffer got
//     other contents
// cause: The host fills the pinned buffer anew while the replay whose copy node reads it may still be running.
// rule: host-write-before-sync
#include <cstdio>
#include <vector>

constexpr int n = 64, replays = 3;

__global__ void add(const int* part, int* sums) {
    sums[threadIdx.x] += part[threadIdx.x];
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
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
    int *staging, *part = to_device(std::vector<int>(n)), *sums = to_device(std::vector<int>(n));
    cudaMallocHost(&staging, n * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(part, staging, n * sizeof(int), cudaMemcpyHostToDevice, stream); // <-- cause
    add<<<1, n, 0, stream>>>(part, sums);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&replay, graph, 0);
    for (int r = 0; r < replays; ++r) {
        for (int i = 0; i < n; ++i)
            staging[i] = 100 * r + i;    // <-- cause
        cudaGraphLaunch(replay, stream); // <-- cause
    }
    cudaStreamSynchronize(stream);
    const std::vector<int> result = to_host(sums, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 300 + 3 * i;
    return verdict(wrong);
}
