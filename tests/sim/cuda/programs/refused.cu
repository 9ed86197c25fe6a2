// expect: cudaDeviceGraphMemTrim is not supported by the simulated device
#include "check.h"

int main() {
    CHECK(cudaDeviceGraphMemTrim(0) == cudaErrorNotSupported);
}
