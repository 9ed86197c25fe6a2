#include "sim/cuda/wire/fat_binary.h"

#include <cstring>

#include <lz4.h>
#include <zstd.h>

#include "sim/cuda/wire/command.h"

namespace sim::cuda {

namespace {

// The container: magic, version 1, header size, then the bytes that follow the header.
struct ContainerHeader {
    uint32_t magic;
    uint16_t version;
    uint16_t header_bytes;
    uint64_t bytes;
};

// Each image is preceded by this header. header_bytes covers the name and the options that follow it.
struct ImageHeader {
    uint16_t kind; // 1: PTX, 2: ELF
    uint16_t version;
    uint32_t header_bytes;
    uint64_t payload_bytes; // padded
    uint32_t compressed_bytes;
    uint32_t options_offset;
    uint16_t minor, major;
    uint32_t sm;
    uint32_t name_offset;
    uint32_t name_bytes;
    uint64_t flags;
    uint64_t reserved;
    uint64_t unpacked_bytes;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(ImageHeader) == 64);

constexpr uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_specific = 0x100000, flag_family = 0x200000;

template <typename T>
T read_at(std::span<const std::byte> data, uint64_t offset) {
    if (offset > data.size() || data.size() - offset < sizeof(T))
        throw FatBinaryError("the fat binary is cut off at byte " + std::to_string(offset));
    T value;
    std::memcpy(&value, data.data() + offset, sizeof value);
    return value;
}

FatImage image_at(std::span<const std::byte> data, uint64_t offset, const ImageHeader& header) {
    FatImage image;
    image.kind = header.kind == 1   ? FatImage::Kind::ptx
                 : header.kind == 2 ? FatImage::Kind::elf
                                    : FatImage::Kind::other;
    image.sm = header.sm;
    image.suffix = header.flags & flag_specific ? 'a' : header.flags & flag_family ? 'f' : char{0};
    image.ptx_version = 10u * header.major + header.minor;
    if (header.name_bytes && header.name_offset < header.header_bytes &&
        header.name_bytes <= header.header_bytes - header.name_offset)
        image.name.assign(reinterpret_cast<const char*>(data.data()) + offset + header.name_offset, header.name_bytes);
    image.stored = data.subspan(offset + header.header_bytes, header.payload_bytes);
    image.unpacked_bytes = header.payload_bytes;
    if (header.flags & (flag_lz4 | flag_zstd)) {
        if (header.compressed_bytes > header.payload_bytes)
            throw FatBinaryError("an image's compressed size is larger than the image");
        image.compression = header.flags & flag_lz4 ? FatImage::Compression::lz4 : FatImage::Compression::zstd;
        image.stored = image.stored.first(header.compressed_bytes);
        image.unpacked_bytes = header.unpacked_bytes;
    }
    return image;
}

std::string unpack(const FatImage& image) {
    if (image.unpacked_bytes > max_ptx_bytes)
        throw FatBinaryError("a PTX image claims " + std::to_string(image.unpacked_bytes) + " bytes");
    if (image.compression == FatImage::Compression::none)
        return {reinterpret_cast<const char*>(image.stored.data()), image.stored.size()};
    std::string text(image.unpacked_bytes, '\0');
    const auto* source = reinterpret_cast<const char*>(image.stored.data());
    if (image.compression == FatImage::Compression::lz4) {
        const int bytes = LZ4_decompress_safe(source, text.data(), static_cast<int>(image.stored.size()),
                                              static_cast<int>(text.size()));
        if (bytes < 0)
            throw FatBinaryError("a PTX image's LZ4 data is damaged");
        text.resize(static_cast<size_t>(bytes));
    } else {
        const size_t bytes = ZSTD_decompress(text.data(), text.size(), source, image.stored.size());
        if (ZSTD_isError(bytes))
            throw FatBinaryError(std::string("a PTX image's zstd data is damaged: ") + ZSTD_getErrorName(bytes));
        text.resize(bytes);
    }
    return text;
}

} // namespace

uint64_t fat_container_bytes(std::span<const std::byte> header) {
    const auto container = read_at<ContainerHeader>(header, 0);
    if (container.magic != fat_container_magic)
        throw FatBinaryError("the registered device code is no fat binary (wrong magic number)");
    if (container.header_bytes < sizeof(ContainerHeader) || container.bytes > (uint64_t{1} << 40))
        throw FatBinaryError("the fat binary's header is damaged");
    return container.header_bytes + container.bytes;
}

std::vector<FatImage> fat_images(std::span<const std::byte> data) {
    const uint64_t end = fat_container_bytes(data);
    if (end > data.size())
        throw FatBinaryError("the fat binary is cut off");
    std::vector<FatImage> images;
    uint64_t offset = read_at<ContainerHeader>(data, 0).header_bytes;
    while (offset < end) {
        const auto header = read_at<ImageHeader>(data.first(end), offset);
        if (header.header_bytes < sizeof(ImageHeader) || header.header_bytes > end - offset ||
            header.payload_bytes > end - offset - header.header_bytes)
            throw FatBinaryError("image " + std::to_string(images.size()) + " of the fat binary has impossible sizes");
        images.push_back(image_at(data, offset, header));
        offset += header.header_bytes + header.payload_bytes;
    }
    return images;
}

std::string ptx_text(const FatImage& image) {
    if (image.kind != FatImage::Kind::ptx)
        throw FatBinaryError("the image is machine code, not PTX");
    std::string text = unpack(image);
    // Uncompressed text is padded with newlines before it and zeros behind it.
    if (const auto zero = text.find('\0'); zero != std::string::npos)
        text.resize(zero);
    return text;
}

std::optional<FatImage> best_ptx(std::span<const FatImage> images, uint32_t sm) {
    std::optional<FatImage> best;
    for (const FatImage& image : images) {
        if (image.kind != FatImage::Kind::ptx || image.sm > sm)
            continue;
        if (image.suffix == 'a' && image.sm != sm)
            continue; // "a" code runs on its own architecture only
        if (image.suffix == 'f' && image.sm / 10 != sm / 10)
            continue;
        if (!best || image.sm > best->sm || (image.sm == best->sm && image.suffix > best->suffix))
            best = image;
    }
    return best;
}

std::string missing_ptx_message(std::span<const FatImage> images, uint32_t sm) {
    std::string have;
    for (const FatImage& image : images) {
        if (!have.empty())
            have += ", ";
        have += image.kind == FatImage::Kind::ptx ? "PTX for compute_" : "machine code for sm_";
        have += std::to_string(image.sm);
        if (image.suffix)
            have += image.suffix;
    }
    const std::string arch = "compute_" + std::to_string(sm);
    return "this program has no PTX for the simulated device (sm_" + std::to_string(sm) + "); it holds " +
           (have.empty() ? "no device code" : have) + ". Build it with -gencode arch=" + arch + ",code=" + arch;
}

} // namespace sim::cuda
