// The image that a program passes to cuModuleLoadData.
#pragma once

#include <cstdint>
#include <string>

namespace sim::cuda {

/// The PTX for sm_`sm` of an image: PTX text, ended by a zero byte, or a fat binary. Throws Failure for machine code.
std::string ptx_in(const void* image, uint32_t sm);

} // namespace sim::cuda
