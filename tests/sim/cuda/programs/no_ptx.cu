// nvcc: -gencode arch=compute_90,code=sm_90
// expect: holds machine code for sm_90
// expect: -gencode arch=compute_90,code=compute_90
// exit: 214
#include "check.h"

__global__ void nothing() {}

int main() {
    nothing<<<1, 1>>>();
}
