#include <cstdio>

__device__ bool is_complete(unsigned barrier, unsigned parity) {
    unsigned yes;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(yes)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return yes;
}

__global__ void ask() {
    __shared__ unsigned long long object;
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&object));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    const int even = is_complete(barrier, 0), odd = is_complete(barrier, 1);
    for (int i = 0; i < ARRIVALS; ++i) {
        asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(barrier) : "memory");
        while (!is_complete(barrier, i % 2))
            ;
    }
    printf("answer: %d %d, %d %d\n", even, odd, is_complete(barrier, 0), is_complete(barrier, 1));
}

int main() {
    ask<<<1, 1>>>();
    cudaDeviceSynchronize();
}
