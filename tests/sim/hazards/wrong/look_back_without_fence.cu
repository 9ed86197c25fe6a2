// Each block adds what the one before it has left, and raises its flag before the sum is ordered.
// says: before its stores were ordered
__device__ int sum[5], flag[5];

__global__ void scan() {
    const int b = blockIdx.x;
    int before = 0;
    if (b > 0) {
        while (atomicAdd(&flag[b - 1], 0) == 0) { // other
        }
        __threadfence();
        before = sum[b - 1]; // error: read-after-write-race
    }
    sum[b] = before + b; // other
    atomicExch(&flag[b], 1); // other
}

int main() {
    scan<<<5, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/look_back
A fence orders the sum before the flag.

+    __threadfence();
     atomicExch(&flag[b], 1);
*/
