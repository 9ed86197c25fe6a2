// expect: the host touched pinned memory that was never allocated or has been freed
// expect: error [use-after-free]
// expect: freed_pinned_memory.cu:12: the host accesses pinned memory that has been freed
// expect: freed_pinned_memory.cu:11: the memory is freed here
// exit: SIGSEGV
#include "check.h"

int main() {
    volatile int* host;
    OK(cudaMallocHost((void**)&host, 64));
    OK(cudaFreeHost((void*)host));
    host[2] = 1;
}
