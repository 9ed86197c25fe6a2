// What of a .cu file the host's object depends on. Students mostly change the bodies of kernels; the host pass, most of
// nvcc's time, need not be repeated then.
#pragma once

#include <string>
#include <string_view>

namespace judge {

/// `source` without comments and without the bodies of __global__ and __device__ (but not __host__) functions. A body
/// that may matter to the host after all (it declares variables for the device, or has preprocessor lines) stays.
std::string host_side(std::string_view source);

/// Does the host do more than launch? Then findings name lines of the source that host_side has moved.
bool host_lines_matter(std::string_view source);

/// What of `source` the host's object depends on.
std::string host_text(std::string_view source);

/// What a PTX module offers to host code: entries with their parameters, variables. An object of the host fits a module
/// if it was made with one that offers the same.
std::string ptx_interface(std::string_view ptx);

} // namespace judge
