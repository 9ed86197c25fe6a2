// A fault in a kernel is sticky, and its message says where.
// expect: illegal_address.cu:8
// any-finding
#include "check.h"

__global__ void wild(int* data) {
    // clang-format off
    data[0] = 1;
    // clang-format on
}

int main() {
    wild<<<1, 1>>>(reinterpret_cast<int*>(0x1000));
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    int* device;
    CHECK(cudaMalloc(&device, 4) == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaSuccess); // said once for each call that fails
    CHECK(cudaFree(nullptr) == cudaErrorIllegalAddress);
    CHECK(cudaDeviceReset() == cudaSuccess); // which does not revive the device
    CHECK(cudaMalloc(&device, 4) == cudaErrorDevicesUnavailable);
}
