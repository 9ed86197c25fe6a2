// For the test programs: a check that fails with its line.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%s:%d: not true: %s (last error: %s)\n", __FILE__, __LINE__, #condition,                      \
                        cudaGetErrorName(cudaPeekAtLastError()));                                                      \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (false)
#define OK(call) CHECK((call) == cudaSuccess)
