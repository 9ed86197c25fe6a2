// expect: 0
// Files outside of the box cannot be read. Their names and sizes can be seen where only contents are closed; results
// list that (test_what_a_level_does_not_stop_is_listed).
#include "lab.h"
#include <algorithm>
#include <cstdio>
#include <sys/stat.h>
__global__ void nothing() {}
cudaError_t launch(const float*, float*, int, cudaStream_t stream) {
    struct stat status {};
    if (stat("@OTHER@", &status) == 0)
        std::printf("it has %ld bytes\n", static_cast<long>(status.st_size));
    nothing<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_ENTRY(launch)
