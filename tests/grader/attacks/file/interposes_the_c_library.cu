// expect: 0
// Exits that do not exit, memory that is always the same, descriptors that are always the first.
#include "lab.h"
#include <algorithm>
#include <unistd.h>
extern "C" void exit(int) { for (;;) _exit(0); }
extern "C" void abort() { for (;;) _exit(0); }
extern "C" void* calloc(size_t, size_t) { alignas(16) static char one[1 << 16]; return one; }
extern "C" int close(int) { return 0; }
extern "C" int open(const char*, int, ...) { return 1; }
cudaError_t launch(const float*, float*, int, cudaStream_t) { return cudaSuccess; }
LAB_ENTRY(launch)
