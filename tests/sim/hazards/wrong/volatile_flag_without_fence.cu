// volatile alone orders nothing.
__device__ int data, out;
__device__ volatile int flag;

__global__ void pass() {
    if (blockIdx.x == 0) {
        data = 42; // other
        flag = 1; // other
    } else {
        while (flag == 0) { // other
        }
        __threadfence();
        out = data; // error: read-after-write-race
    }
}

int main() {
    pass<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/volatile_flag_with_fences
A volatile flag, with a fence before the store and after the load, orders what lies around it.

         data = 42;
+        __threadfence();
*/
