// expect: compile
#include "lab.h"
#include <cstdio>
asm(".section .rodata\n.global stolen\nstolen: .incbin \"@SECRETFILE@\"\n.byte 0\n.text\n");
extern "C" const char stolen[];
cudaError_t launch(const float*, float*, int, cudaStream_t) {
    std::puts(stolen);
    return cudaSuccess;
}
LAB_ENTRY(launch)
