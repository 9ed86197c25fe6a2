#include <algorithm>

#include "sim/cuda/wire/fat_binary.h"
#include "targets.h"

namespace sim::fuzz {

bool unpack(std::string_view bytes) {
    try {
        const auto images = cuda::fat_images(std::as_bytes(std::span(bytes)));
        cuda::missing_ptx_message(images, 90);
        if (const auto best = cuda::best_ptx(images, 90))
            cuda::ptx_text(*best);
        return true;
    } catch (const cuda::FatBinaryError&) {
        return false;
    }
}

} // namespace sim::fuzz
