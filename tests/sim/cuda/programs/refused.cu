// expect: cudaIpcCloseMemHandle is not supported by the simulated device
#include "check.h"

int main() {
    CHECK(cudaIpcCloseMemHandle(nullptr) == cudaErrorNotSupported);
}
