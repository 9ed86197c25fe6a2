#include "sim/ptx/toolkit_files.h"

#include <algorithm>
#include <array>
#include <string>

namespace sim::ptx {
namespace {

/// The entries of the toolkit, and of CUTLASS, directly below their include folders: folders end in '/', the others are
/// prefixes of file names.
constexpr std::array toolkit_headers{
    "cccl/",
    "crt/",
    "cooperative_groups/",
    "cooperative_groups.h",
    "cuda/std/",
    "cuda/__",
    "cub/",
    "thrust/",
    "cute/",
    "cutlass/",
    "nv/target",
    "nv/detail/",
    "cuda_awbarrier",
    "cuda_bf16.",
    "cuda_fp16.",
    "cuda_fp4.",
    "cuda_fp6.",
    "cuda_fp8.",
    "cuda_pipeline",
    "cuda_runtime",
    "cuda_device_runtime",
    "cuda_texture_types.",
    "cuda_surface_types.",
    "device_functions.",
    "device_atomic_functions.",
    "device_launch_parameters.",
    "math_functions.",
    "math_constants.",
    "vector_functions.",
    "vector_types.",
    "sm_20_",
    "sm_30_",
    "sm_32_",
    "sm_35_",
    "sm_60_",
    "sm_61_",
    "texture_",
    "surface_",
    "builtin_types.",
    "host_defines.",
    "curand",
    "cudart_platform.",
};

/// Public headers of CCCL in include/cuda/: they have no extension ("cuda/barrier"), unlike most programs' headers.
bool is_public_cuda_header(std::string_view rest) {
    return rest.starts_with("cuda/") && rest.find('.') == std::string_view::npos;
}

} // namespace

bool is_toolkit_file(std::string_view path) {
    std::string normal = "/";
    normal += path;
    std::replace(normal.begin(), normal.end(), '\\', '/');
    std::string_view text = normal;
    text.remove_prefix(1);
    for (const char* root : {"/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/cuda/", "/usr/local/cuda-",
                             "/opt/cuda/", "/opt/nvidia/"})
        if (text.starts_with(root))
            return true;
    if (!text.starts_with('/')) // -Iinclude: the compiler names what it found there as include/…
        text = normal;
    // Only the headers of a CCCL checkout: its tests and examples are ordinary programs.
    for (const char* part : {"/include/cccl/", "/libcudacxx/include/", "/cudax/include/", "/cub/cub/",
                             "/thrust/thrust/", "/site-packages/nvidia/", "/dist-packages/nvidia/"})
        if (text.find(part) != std::string_view::npos)
            return true;
    // .../targets/x86_64-linux/include/: the toolkit's own layout, wherever it was unpacked.
    if (const size_t targets = text.find("/targets/"); targets != std::string_view::npos) {
        const size_t arch_end = text.find('/', targets + 9);
        if (arch_end != std::string_view::npos && text.substr(arch_end).starts_with("/include/") &&
            text.substr(targets + 9, arch_end - targets - 9).find("-linux") != std::string_view::npos)
            return true;
    }
    for (size_t at = text.find("/include/"); at != std::string_view::npos; at = text.find("/include/", at + 1)) {
        const std::string_view rest = text.substr(at + 9);
        if (is_public_cuda_header(rest) ||
            std::any_of(toolkit_headers.begin(), toolkit_headers.end(), [&](auto h) { return rest.starts_with(h); }))
            return true;
    }
    return false;
}

} // namespace sim::ptx
