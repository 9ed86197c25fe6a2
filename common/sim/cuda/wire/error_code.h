// CUDA error codes that the device side speaks of, by their numbers in the CUDA Runtime API (cudaError_t).
#pragma once

#include <cstdint>

namespace sim::cuda::error {

constexpr uint32_t success = 0;
constexpr uint32_t invalid_value = 1;
constexpr uint32_t memory_allocation = 2;
constexpr uint32_t invalid_pitch = 12;
constexpr uint32_t invalid_symbol = 13;
constexpr uint32_t invalid_ptx = 218;
constexpr uint32_t no_kernel_image = 209;
constexpr uint32_t invalid_source = 300;
constexpr uint32_t invalid_resource_handle = 400;
constexpr uint32_t symbol_not_found = 500;
constexpr uint32_t not_ready = 600;
constexpr uint32_t illegal_address = 700;
constexpr uint32_t launch_out_of_resources = 701;
constexpr uint32_t launch_timeout = 702;
constexpr uint32_t assertion = 710;
constexpr uint32_t illegal_instruction = 715;
constexpr uint32_t misaligned_address = 716;
constexpr uint32_t launch_failure = 719;
constexpr uint32_t cooperative_launch_too_large = 720;
constexpr uint32_t not_permitted = 800;
constexpr uint32_t not_supported = 801;
constexpr uint32_t invalid_cluster_size = 912;
constexpr uint32_t unknown = 999;

} // namespace sim::cuda::error
