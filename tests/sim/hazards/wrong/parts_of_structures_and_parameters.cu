// Both reports name the bytes: a member of a structure, and an element of a parameter.
struct Ring {
    float tile[2][64];
    int count[2];
};

__global__ void reverse(const float* values, float* result) {
    __shared__ Ring ring;
    const int i = threadIdx.x;
    ring.tile[1][i] = values[i]; // other 1, error 2: uninitialised-read
    result[i] = ring.tile[1][63 - i]; // error 1: read-after-write-race
}

int main() {
    float *values, *result;
    cudaMalloc(&values, 64 * sizeof(float));
    cudaMalloc(&result, 64 * sizeof(float));
    cudaMemset(values, 0, 48 * sizeof(float));
    reverse<<<1, 64>>>(values, result);
    return cudaDeviceSynchronize();
}

/*
== clean/parts_of_structures_and_parameters
Every element is written, and a barrier is between the stores and the loads.

     ring.tile[1][i] = values[i];
+    __syncthreads();

-    cudaMemset(values, 0, 48 * sizeof(float));
+    cudaMemset(values, 0, 64 * sizeof(float));
*/
