// source: kaldi#3211, a group transform reduces rows of 16 threads as if a warp ran in step
// cause: The threads of a group read the partial sums of other lanes without a barrier between the steps.
// rule: read-after-write-race|write-after-read-race
#include <cstdio>
#include <vector>

constexpr int groups = 4, width = 16, columns = 80;

__global__ void group_sum(const int* x, int* y) {
    __shared__ int partial[groups * width];
    const int lane = threadIdx.x, row = threadIdx.y, t = row * width + lane;
    int sum = 0;
    for (int c = lane; c < columns; c += width)
        sum += x[row * columns + c];
    partial[t] = sum;
    __syncthreads();
    for (int shift = width / 2; shift > 0; shift /= 2)
        if (lane < shift)
            partial[t] += partial[t + shift]; // <-- cause
    if (lane == 0)
        y[row] = partial[t];
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
    const std::vector<int> in = numbers(groups * columns);
    int *x = to_device(in), *y = to_device(std::vector<int>(groups));
    group_sum<<<1, dim3(width, groups)>>>(x, y);
    const std::vector<int> result = to_host(y, groups);
    int wrong = 0;
    for (int row = 0; row < groups; ++row) {
        int sum = 0;
        for (int c = 0; c < columns; ++c)
            sum += in[row * columns + c];
        wrong += result[row] != sum;
    }
    return verdict(wrong);
}
