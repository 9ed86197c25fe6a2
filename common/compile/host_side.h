// What of a .cu file the host's object depends on. Students mostly change the bodies of kernels; the host pass, most of
// nvcc's time, need not be repeated then.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace compile {

/// `source` without comments and without the bodies of __global__ and __device__ (but not __host__) functions. A body
/// that may matter to the host after all (it declares variables for the device, or has preprocessor lines) stays.
std::string host_side(std::string_view source);

/// The part of `source` that the host's object depends on: its host side, or all of it if the host code may depend on
/// line numbers.
std::string host_text(std::string_view source);

/// The line of `source` that corresponds to that line of `other`; their host sides are equal. 0: there is none.
uint32_t line_in(std::string_view source, std::string_view other, uint32_t line);

/// The interface of a PTX module to host code: entries with their parameters, variables. A host object fits a module if
/// it was made with one that has the same interface.
std::string ptx_interface(std::string_view ptx);

} // namespace compile
