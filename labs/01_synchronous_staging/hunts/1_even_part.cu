// Hunt 01.h1: even part of a signal
// even[c] = (x[c] + x[-c]) / 2 for rows of samples, where -c counts from the end of the row. A block stages four rows
// at a time. A row used to have 32 samples; since the sensor delivers 64, some results are wrong, but never on the
// developer's own machine.
#include "lab.h"

constexpr int COLUMNS = 64; // samples in a row, one thread for each (was 32)
constexpr int ROWS = 4;     // rows that a block processes at a time
constexpr int THREADS = ROWS * COLUMNS;

struct Stage {
    float samples[ROWS][COLUMNS];
};

/// The threads of a row meet. Rows do not wait for each other.
__device__ void meet_row() {
    __syncwarp();
}

__device__ void stage_row(Stage& stage, const float* in, int row, int rows) {
    const int r = threadIdx.x / COLUMNS, c = threadIdx.x % COLUMNS;
    if (row < rows)
        stage.samples[r][c] = in[row * COLUMNS + c];
}

__device__ float even_part(const Stage& stage) {
    const int r = threadIdx.x / COLUMNS, c = threadIdx.x % COLUMNS;
    const float* const samples = stage.samples[r];
    return (samples[c] + samples[(COLUMNS - c) % COLUMNS]) / 2;
}

__global__ void __launch_bounds__(THREADS) even_rows(const float* in, float* even, int rows) {
    __shared__ Stage stage;
    const int r = threadIdx.x / COLUMNS, c = threadIdx.x % COLUMNS;
    for (int first = blockIdx.x * ROWS; first < rows; first += gridDim.x * ROWS) {
        const int row = first + r;
        stage_row(stage, in, row, rows);
        meet_row(); // the row is staged
        if (row < rows)
            even[row * COLUMNS + c] = even_part(stage);
        meet_row(); // the row has been read
    }
}

/// `in` and `even` are matrices of rows · 64 floats in device memory.
cudaError_t launch(const float* in, float* even, int rows, cudaStream_t stream) {
    if (rows > 0)
        even_rows<<<min((rows + ROWS - 1) / ROWS, 2), THREADS, 0, stream>>>(in, even, rows);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
