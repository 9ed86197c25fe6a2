// Is there a GPU, and what do commands run on?
#pragma once

#include <optional>
#include <string>

#include "check/gpu/device.h"
#include "check/lab.h"

namespace judge {

/// Exit code of commands that need a GPU where there is none.
constexpr int code_no_gpu = 5;

/// The first GPU, or why there is none. Another process queries the driver, so that this one may still fork.
struct FoundGpu {
    std::optional<check::gpu::Info> info;
    std::string why;
};
FoundGpu find_gpu();

/// The GPU; throws Problem with code_no_gpu.
check::gpu::Info need_gpu();

/// Can this GPU run code compiled for the target? "compute_90a" is for sm_90 alone.
bool runs(const check::gpu::Info& gpu, const check::Target& target);

/// The name of the GPU's machine code for "compute_90a": "sm_90a". Empty: it has none.
std::string machine_code(const check::gpu::Info& gpu, const std::string& arch);

} // namespace judge
