// expect: compile
// Sections with which an object asks the linker to start a compiler for it, with options of its own.
#include "lab.h"
asm(R"(.section .gnu.lto_.symtab.1234,"e",@progbits
.string "chosen"
.section .gnu.lto_.opts,"e",@progbits
.string "'-fplugin=/tmp/x.so' '-wrapper' 'touch,/tmp/@MARK@' '-O2'"
.text
.comm __gnu_lto_slim,1,1)");
extern "C" int not_there();
cudaError_t launch(const float*, float*, int, cudaStream_t) { return static_cast<cudaError_t>(not_there()); }
LAB_ENTRY(launch)
