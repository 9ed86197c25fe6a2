// expect: 0
// The program to start it with, a stack that may be executed, and libraries to be searched for elsewhere.
#include "lab.h"
#include <algorithm>
asm(".section .interp,\"a\"\n.asciz \"/bin/sh\"\n.section .note.GNU-stack,\"x\",@progbits\n.section .deplibs,\"MS\",@progbits,1\n"
    ".asciz \"@MARK@\"\n.section .preinit_array,\"aw\"\n.quad 0x1234567\n.text");
cudaError_t launch(const float*, float*, int, cudaStream_t) { return cudaSuccess; }
LAB_ENTRY(launch)
