// expect: compile
// Names are written into the assembler's text as they are: of symbols, of sections, of files.
#include "lab.h"
int stolen __asm__("name\n.incbin \"@SECRETFILE@\"\n.include \"@OTHER@\"\n#");
int placed __attribute__((section(".data,\"aw\"\n.incbin \"@SECRETFILE@\"\n.print \"@MARK@\"\n#"))) = 1;
#line 1 "x\"\n.include \"@SECRETFILE@\"\n#"
cudaError_t launch(const float*, float*, int, cudaStream_t) { return static_cast<cudaError_t>(stolen + placed); }
LAB_ENTRY(launch)
