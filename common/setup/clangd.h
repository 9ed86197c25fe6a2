// For clangd only, which reads every .cu file as if this header were its first line (.clangd, common/setup/setup.sh).
// No compiler sees it. Clang has its own headers for CUDA, but they fit only toolkits that are older than clang. So
// this header declares what nvcc knows by itself, and all functions are made callable from host and device.
#pragma once

#include <exception>
#include <new>
#define __CLANG_CUDA_WRAPPERS_NEW // clang's <new>, which would declare a second set of operators

#pragma clang force_cuda_host_device begin // to the end of the file that is being read
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ LAB_CUDA_MAJOR
#define __CUDACC_VER_MINOR__ LAB_CUDA_MINOR
#define __NV_NO_HOST_COMPILER_CHECK 1

#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#include <crt/host_defines.h>
#undef __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#undef __host__
#undef __device__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __grid_constant__
#undef __cluster_dims__
#define __host__
#define __device__
#define __shared__ // clang would refuse alignas and constructors behind it
#define __constant__
#define __managed__
#define __grid_constant__
#define __cluster_dims__(...)

// The toolkit's mathematics declares the functions of <cmath> again, in a way that clang refuses.
#define __MATH_FUNCTIONS_H__
#define __COMMON_FUNCTIONS_H__
template <class A, class B>
constexpr auto min(A a, B b) {
    return b < a ? b : a;
}
template <class A, class B>
constexpr auto max(A a, B b) {
    return a < b ? b : a;
}
float rsqrtf(float x);
double rsqrt(double x);

#define _CG_CLUSTER_INTRINSICS_AVAILABLE // otherwise the toolkit hides clusters from compilers other than nvcc
// Clang knows this function without a declaration, but only for the device.
#define __syncthreads __syncthreads_of_the_toolkit
#include <cuda.h>
#include <cuda_runtime.h>
