#include "sim/cuda/program/driver/image.h"

#include <cstring>

#include "sim/cuda/program/runtime.h"
#include "sim/cuda/wire/fat_binary.h"

namespace sim::cuda {

namespace {

uint32_t magic_of(const void* image) {
    uint32_t magic = 0;
    std::memcpy(&magic, image, std::min<size_t>(sizeof magic, strnlen(static_cast<const char*>(image), sizeof magic)));
    return magic;
}

} // namespace

std::string ptx_in(const void* image, uint32_t sm) {
    if (std::memcmp(image, "\177ELF", 4) == 0)
        fail(cudaErrorInvalidKernelImage,
             "this image is machine code (a cubin), and the simulated device executes PTX: ask for it, with NVRTC by "
             "--gpu-architecture=compute_90 instead of sm_90 and nvrtcGetPTX, with nvcc by -ptx");
    if (magic_of(image) == fat_wrapper_magic)
        std::memcpy(&image, static_cast<const std::byte*>(image) + 8, sizeof image);
    if (magic_of(image) != fat_container_magic)
        return static_cast<const char*>(image);
    try {
        const auto* first = static_cast<const std::byte*>(image);
        const auto images = fat_images({first, fat_container_bytes({first, 16})});
        const auto best = best_ptx(images, sm);
        if (!best)
            fail(cudaErrorNoKernelImageForDevice, missing_ptx_message(images, sm));
        return ptx_text(*best);
    } catch (const FatBinaryError& problem) {
        fail(cudaErrorInvalidKernelImage, problem.what());
    }
}

} // namespace sim::cuda
