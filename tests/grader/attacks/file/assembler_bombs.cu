// expect: compile
// A line of source, gigabytes in an object, or hours in an assembler.
#include "lab.h"
asm(".section .data\n.fill 0x7fffffff, 8, 1\n.rept 1000000000\n.quad 1, 2, 3, 4\n.endr\n.org 0x7fffffffffff\n.text");
cudaError_t launch(const float*, float*, int, cudaStream_t) { return cudaSuccess; }
LAB_ENTRY(launch)
