// Hunt 00.h2: residuals
// A solver improves x step by step. After every step the host wants the residuals of that step, so they are downloaded
// to a log. To keep the solver busy, the downloads were moved to a stream of their own. The solution is still right,
// but the log sometimes shows residuals of a later step.
#include "lab.h"

constexpr int N = 512;
constexpr int THREADS = 128;

__global__ void relax(float* x, const float* target) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += 0.5f * (target[i] - x[i]);
}

__global__ void residuals(const float* x, const float* target, float* r) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    r[i] = target[i] - x[i];
}

class Solver {
  public:
    Solver() {
        cudaMalloc(&r_, N * sizeof(float));
        cudaStreamCreateWithFlags(&solve_, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&download_, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&computed_, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&logged_, cudaEventDisableTiming);
    }
    ~Solver() {
        cudaEventDestroy(logged_);
        cudaEventDestroy(computed_);
        cudaStreamDestroy(download_);
        cudaStreamDestroy(solve_);
        cudaFree(r_);
    }

    // One step; its residuals go to `line`, in pinned memory.
    void step(float* x, const float* target, float* line) {
        relax<<<N / THREADS, THREADS, 0, solve_>>>(x, target);
        residuals<<<N / THREADS, THREADS, 0, solve_>>>(x, target, r_);
        cudaEventRecord(computed_, solve_);

        cudaStreamWaitEvent(download_, computed_); // the residuals have been computed
        cudaMemcpyAsync(line, r_, N * sizeof(float), cudaMemcpyDeviceToHost, download_);
        cudaEventRecord(logged_, download_);
    }

    // The host may read the log.
    void finish() {
        cudaEventSynchronize(logged_);
        cudaStreamSynchronize(solve_);
    }

  private:
    float* r_ = nullptr; // residuals of the last step, in device memory
    cudaStream_t solve_ = nullptr, download_ = nullptr;
    cudaEvent_t computed_ = nullptr, logged_ = nullptr;
};

/// `x` and `target`: N numbers in device memory. `log`: N numbers for every step, in pinned host memory.
cudaError_t launch(float* x, const float* target, float* log, int steps) {
    Solver solver;
    for (int k = 0; k < steps; ++k)
        solver.step(x, target, log + k * N);
    if (steps > 0)
        solver.finish();
    return cudaGetLastError();
}

LAB_ENTRY(launch)
