// expect: 0
#include "lab.h"
#include <algorithm>
#include <cstdio>
cudaError_t launch(const float*, float*, int, cudaStream_t) { return cudaSuccess; }
LAB_ENTRY(launch)
int main() { std::puts("15 of 15 points"); }
