// cp.async gets the generic address of its destination, of 64 bits, where it wants a shared one.
// says: thread 0 writes 4 bytes at the generic address … where a shared one is expected (__cvta_generic_to_shared), but the block has 272 bytes of shared memory
__device__ int in[64], out[64];
__global__ void copy() {
    __shared__ int tile[64];
    const size_t destination = reinterpret_cast<size_t>(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n cp.async.wait_all;" ::"l"(destination), "l"(&in[threadIdx.x]) : "memory");
    // error: out-of-bounds
    out[threadIdx.x] = tile[threadIdx.x];
}
int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
