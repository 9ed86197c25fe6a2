// Hunt 00.h3: after the store
// Normalises the rows of a matrix by their largest value, step after step, as the layers of a network do. To hide the
// time between two kernels, the second one of each step is launched early. Its author reasons: "The first kernel lets
// it start when the largest values have been stored and a fence has made them visible, so they are there." All tests
// pass. In production, about once in a million steps, a row is divided by the largest value of the step before.
#include "lab.h"

constexpr int ROWS = 96, COLUMNS = 64;
constexpr int WARPS = 4; // of a block; each has one row at a time

// The largest value of each row.
__global__ void __launch_bounds__(32 * WARPS) find_largest(const float* x, float* largest) {
    const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = fmaxf(x[row * COLUMNS + lane], x[row * COLUMNS + 32 + lane]);
    for (int distance = 16; distance > 0; distance /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, distance));
    if (lane == 0) {
        largest[row] = most;
        __threadfence();
    }
    cudaTriggerProgrammaticLaunchCompletion(); // the next kernel may start
}

__global__ void __launch_bounds__(COLUMNS) divide(const float* x, const float* largest, float* out) {
    const int i = blockIdx.x * COLUMNS + threadIdx.x;
    out[i] = x[i] / largest[blockIdx.x];
}

class Layer {
  public:
    explicit Layer(cudaStream_t stream) : stream_(stream) {
        cudaMalloc(&largest_, ROWS * sizeof(float));
        early_.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early_.val.programmaticStreamSerializationAllowed = 1;
    }
    ~Layer() {
        cudaStreamSynchronize(stream_);
        cudaFree(largest_);
    }

    // One step: `out` becomes `x`, each row divided by its largest value.
    cudaError_t normalise(const float* x, float* out) {
        find_largest<<<ROWS / WARPS, 32 * WARPS, 0, stream_>>>(x, largest_);

        cudaLaunchConfig_t config{};
        config.gridDim = ROWS;
        config.blockDim = COLUMNS;
        config.stream = stream_;
        config.attrs = &early_;
        config.numAttrs = 1;
        return cudaLaunchKernelEx(&config, divide, x, static_cast<const float*>(largest_), out);
    }

  private:
    cudaStream_t stream_;
    cudaLaunchAttribute early_{};
    float* largest_ = nullptr; // of each row, in device memory
};

/// `x` and `out`: `steps` matrices of ROWS x COLUMNS positive numbers, in device memory.
cudaError_t launch(const float* x, float* out, int steps, cudaStream_t stream) {
    Layer layer(stream);
    for (int step = 0; step < steps; ++step)
        if (const cudaError_t error = layer.normalise(x + step * ROWS * COLUMNS, out + step * ROWS * COLUMNS))
            return error;
    return cudaGetLastError();
}

LAB_ENTRY(launch)
