// Fat binaries: what nvcc embeds is found, what is damaged is refused.
#include <cstring>

#include <doctest/doctest.h>
#include <lz4.h>
#include <zstd.h>

#include "sim/cuda/wire/fat_binary.h"

using namespace sim::cuda;

namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& to, const void* data, size_t bytes) {
    to.resize(to.size() + bytes);
    if (bytes)
        std::memcpy(to.data() + to.size() - bytes, data, bytes);
}
template <typename T>
void put(Bytes& to, T value) {
    append(to, &value, sizeof value);
}

struct Image {
    uint16_t kind = 1;
    uint32_t sm = 90;
    uint64_t flags = 0x11;
    std::string data;
    uint64_t unpacked = 0;
};

Bytes container(const std::vector<Image>& images) {
    Bytes body;
    for (const Image& image : images) {
        const uint64_t padded = (image.data.size() + 7) / 8 * 8;
        put<uint16_t>(body, image.kind);
        put<uint16_t>(body, 0x101);
        put<uint32_t>(body, 64);
        put<uint64_t>(body, padded);
        put<uint32_t>(body, static_cast<uint32_t>(image.unpacked ? image.data.size() : 0));
        put<uint32_t>(body, 64);
        put<uint16_t>(body, 0);
        put<uint16_t>(body, 9);
        put<uint32_t>(body, image.sm);
        put<uint64_t>(body, 0);
        put<uint64_t>(body, image.flags);
        put<uint64_t>(body, 0);
        put<uint64_t>(body, image.unpacked);
        append(body, image.data.data(), image.data.size());
        body.resize(body.size() + padded - image.data.size());
    }
    Bytes all;
    put<uint32_t>(all, 0xBA55ED50);
    put<uint16_t>(all, 1);
    put<uint16_t>(all, 16);
    put<uint64_t>(all, body.size());
    append(all, body.data(), body.size());
    return all;
}

std::string sample() {
    std::string text = ".version 9.0\n.target sm_90\n";
    for (int i = 0; i < 100; ++i)
        text += "// the same line again\n";
    return text;
}

Image zstd_image() {
    const std::string text = sample();
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return {1, 90, 0x8011, packed, text.size()};
}

Image lz4_image() {
    const std::string text = sample();
    std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
    packed.resize(static_cast<size_t>(LZ4_compress_default(text.data(), packed.data(), static_cast<int>(text.size()),
                                                           static_cast<int>(packed.size()))));
    return {1, 90, 0x2011, packed, text.size()};
}

} // namespace

TEST_CASE("plain, LZ4 and zstd PTX is read") {
    for (const Image& image : {Image{1, 90, 0x11, "\n\n" + sample(), 0}, lz4_image(), zstd_image()}) {
        const Bytes data = container({image});
        const auto images = fat_images(data);
        REQUIRE(images.size() == 1);
        CHECK(ptx_text(images[0]).find(sample()) != std::string::npos);
    }
}

TEST_CASE("the newest PTX that the device can run is chosen") {
    const Bytes data = container(
        {{1, 80, 0x11, "p80", 0}, {1, 100, 0x11, "p100", 0}, {2, 90, 0x11, "elf", 0}, {1, 75, 0x11, "p75", 0}});
    const auto images = fat_images(data);
    REQUIRE(images.size() == 4);
    CHECK(best_ptx(images, 90)->sm == 80);
    CHECK_FALSE(best_ptx(images, 70));
}

TEST_CASE("architecture-specific PTX runs on its own architecture only") {
    const Bytes data = container({{1, 80, 0x100011, "p80a", 0}, {1, 90, 0x11, "p90", 0}, {1, 90, 0x100011, "p90a", 0}});
    const auto images = fat_images(data);
    CHECK(best_ptx(images, 90)->suffix == 'a');
    CHECK(best_ptx(images, 100)->suffix == 0);
    CHECK(best_ptx(images, 86) == std::nullopt);
}

TEST_CASE("the error of a program without PTX says what to add") {
    const Bytes data = container({{2, 90, 0x11, "elf", 0}});
    const std::string text = missing_ptx_message(fat_images(data), 90);
    CHECK(text.find("machine code for sm_90") != std::string::npos);
    CHECK(text.find("-gencode arch=compute_90,code=compute_90") != std::string::npos);
}

TEST_CASE("a cut-off fat binary is refused") {
    const Bytes data = container({zstd_image(), {1, 80, 0x11, "text", 0}});
    for (size_t bytes = 0; bytes < data.size(); ++bytes)
        CHECK_THROWS_AS(fat_images({data.data(), bytes}), FatBinaryError);
}

TEST_CASE("no damaged byte makes reading crash") {
    const Bytes good = container({zstd_image(), lz4_image(), {1, 80, 0x11, "text", 0}});
    for (size_t at = 0; at < good.size(); ++at)
        for (const unsigned value : {0x00u, 0x7Fu, 0xFFu}) {
            Bytes bad = good;
            bad[at] = static_cast<std::byte>(value);
            try {
                for (const FatImage& image : fat_images(bad))
                    if (image.kind == FatImage::Kind::ptx && image.unpacked_bytes < (1 << 20))
                        ptx_text(image);
            } catch (const FatBinaryError&) {
            }
        }
}
