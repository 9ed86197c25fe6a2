// src-size equal to the size of the copy; and zeros where there is no source, whose address may then be anything.
__device__ int in[60], out[64];

__global__ void copy() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[i]));
    const int bytes = i < 60 ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + i), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[i] = tile[i];
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
