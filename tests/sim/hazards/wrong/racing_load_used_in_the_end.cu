// Hundreds of racing loads with unused values do not hide the one that is used.
__device__ int out[64];

__device__ int load(const int* from) {
    int value;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))));
    return value;
}

__global__ void look(int rounds) {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = i; // other
    for (int round = 0; round <= rounds; ++round) {
        const int value = load(&tile[63 - i]); // error: read-after-write-race
        if (round == rounds)
            out[i] = value;
    }
}

int main() {
    look<<<1, 64>>>(400);
    return cudaDeviceSynchronize();
}

/*
== clean/racing_load_never_used
Hundreds of racing loads with unused values: compilers make such loads, so they are not reported.

-    for (int round = 0; round <= rounds; ++round) {
+    for (int round = 0; round < rounds; ++round) {
*/
