// expect: the host dereferenced device pointer
// expect: byte 8 of 64 allocated by cudaMalloc
// expect: error [out-of-bounds]
// expect: device_pointer.cu:11: the host dereferences a device pointer
// exit: SIGSEGV
#include "check.h"

int main() {
    volatile int* device;
    OK(cudaMalloc(const_cast<int**>(&device), 64));
    device[2] = 1;
}
