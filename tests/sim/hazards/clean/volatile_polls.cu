// Volatile loads that are compared are polls: of a flag, and of a word that brings its value with it.
__device__ volatile int flag, message;
__device__ int out;

__global__ void pass() {
    if (blockIdx.x == 0) {
        message = 42;
        flag = 1;
    } else {
        int value;
        while ((value = message) == 0) {
        }
        if (flag == 1)
            value += 1;
        out = value > 0;
    }
}

int main() {
    pass<<<2, 1>>>();
    return cudaDeviceSynchronize();
}
