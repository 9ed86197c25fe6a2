// CUDA error codes that the device side speaks of, by their numbers in the CUDA Runtime API (cudaError_t).
#pragma once

#include <cstdint>

namespace sim::cuda::error {

constexpr uint32_t success = 0, invalid_value = 1, memory_allocation = 2, invalid_pitch = 12,
                   invalid_symbol = 13, invalid_ptx = 218, no_kernel_image = 209, invalid_source = 300,
                   invalid_resource_handle = 400, symbol_not_found = 500, not_ready = 600, illegal_address = 700,
                   launch_out_of_resources = 701, launch_timeout = 702, assertion = 710, illegal_instruction = 715,
                   misaligned_address = 716, launch_failure = 719, cooperative_launch_too_large = 720,
                   not_permitted = 800, not_supported = 801, invalid_cluster_size = 912, unknown = 999;

} // namespace sim::cuda::error
