#include <cstdio>

__global__ void copy(const unsigned* in, unsigned* out) {
    __shared__ alignas(8) unsigned words[2];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(words));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(in), "r"(SIZE) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    *out = words[1];
}

int main() {
    const unsigned in[2] = {0x11223344, 0x55667788};
    unsigned *memory, out;
    cudaMalloc(&memory, 12);
    cudaMemcpy(memory, in, 8, cudaMemcpyHostToDevice);
    copy<<<1, 1>>>(memory, memory + 2);
    cudaMemcpy(&out, memory + 2, 4, cudaMemcpyDeviceToHost);
    std::printf("answer: 0x%08x\n", out);
}
