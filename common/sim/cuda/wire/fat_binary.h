// PTX images inside the fat binary that nvcc embeds in an object and registers before main.
// The input is hostile: every offset is checked, and what cannot be read is an error, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sim::cuda {

struct FatBinaryError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One image of a fat binary.
struct FatImage {
    enum class Kind : uint8_t { ptx, elf, other };
    Kind kind = Kind::other;
    uint32_t sm = 0;                   ///< 90 for compute_90 and compute_90a
    char suffix = 0;                   ///< 'a' or 'f' for the architecture- and family-specific variants, else 0
    uint32_t ptx_version = 0;          ///< 10 * major + minor: 90 for 9.0
    bool relocatable = false;          ///< compiled with -rdc=true
    std::string name;                  ///< source file, if the compiler gave one
    std::span<const std::byte> stored; ///< as in the binary, compressed or not
    enum class Compression : uint8_t { none, lz4, zstd } compression = Compression::none;
    uint64_t unpacked_bytes = 0;
};

/// The first word of a container, and of the wrapper around one that nvcc's host stubs register.
inline constexpr uint32_t fat_container_magic = 0xBA55ED50, fat_wrapper_magic = 0x466243B1;

/// The images of the container that starts at `data`. Throws FatBinaryError.
std::vector<FatImage> fat_images(std::span<const std::byte> data);

/// Bytes of the container whose header is at `header` (16 readable bytes). Throws FatBinaryError if the magic is wrong.
uint64_t fat_container_bytes(std::span<const std::byte> header);

/// The PTX text of `image`. Throws FatBinaryError if it is no PTX or is damaged.
std::string ptx_text(const FatImage& image);

/// The PTX that a driver would compile for sm_`sm`: the highest compute_XX not above it. An architecture-specific image
/// (compute_90a) serves its own architecture only and is preferred there. Nothing if no image fits.
std::optional<FatImage> best_ptx(std::span<const FatImage> images, uint32_t sm);

/// Why best_ptx found nothing and what to add to the nvcc command line.
std::string missing_ptx_message(std::span<const FatImage> images, uint32_t sm);

} // namespace sim::cuda
