// Drill 00.8: the third kernel
// Three kernels, each of which lets the next one start at once. The first sums up rows of `x`, the second fills an
// array that no other kernel uses, and the third overwrites `x`. The third uses nothing of the second, so its author
// left out the wait. But the second may have started while the first one still reads, and so may the third. A wait
// covers the kernels further back as well. Which kernel needs it? (One wait is enough.)
#include "lab.h"

constexpr int ROWS = 64, COLUMNS = 32;

__global__ void __launch_bounds__(ROWS) sum_rows(const unsigned* x, unsigned* sums) {
    cudaTriggerProgrammaticLaunchCompletion();
    unsigned sum = 0;
    for (int column = 0; column < COLUMNS; ++column)
        sum += x[threadIdx.x * COLUMNS + column];
    sums[threadIdx.x] = sum;
}

__global__ void __launch_bounds__(ROWS) number_rows(unsigned* numbers) {
    cudaTriggerProgrammaticLaunchCompletion();
    // TODO(1): wait here?
    // END TODO(1)
    numbers[threadIdx.x] = threadIdx.x;
}

__global__ void __launch_bounds__(ROWS) clear(unsigned* x) {
    // TODO(2): or here?
    // END TODO(2)
    for (int column = 0; column < COLUMNS; ++column)
        x[column * ROWS + threadIdx.x] = 0;
}

template <class... Parameters, class... Arguments>
cudaError_t launch_early(cudaStream_t stream, void (*kernel)(Parameters...), Arguments... arguments) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = ROWS;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// In device memory: `x`, ROWS rows of COLUMNS numbers; `sums` and `numbers`, one number for each row.
cudaError_t launch(unsigned* x, unsigned* sums, unsigned* numbers, cudaStream_t stream) {
    sum_rows<<<1, ROWS, 0, stream>>>(x, sums);
    if (const cudaError_t error = launch_early(stream, number_rows, numbers))
        return error;
    return launch_early(stream, clear, x);
}

LAB_ENTRY(launch)
