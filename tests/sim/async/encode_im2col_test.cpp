// What an H200's driver (580.159) returned for each set of im2col parameters; see docs/fidelity.md.
#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "sim/async/tensor_map.h"

using namespace sim::async;

namespace {

enum : uint32_t { uint8 = 0, int32 = 3, float32 = 7 }; // the driver's numbers

struct Parameters {
    alignas(128) std::byte map[128]{};
    uint32_t type = float32, rank = 4, channels = 32, pixels = 64, interleave = 0, swizzle = 0, fill = 0;
    uint64_t address = 0x100'0000'0000;
    uint64_t dim[6] = {64, 32, 32, 8, 8, 8}, stride[5] = {256, 8192, 262144, 2097152, 0};
    int lower[3] = {}, upper[3] = {};
    uint32_t step[6] = {1, 1, 1, 1, 1, 1};

    bool accepted() {
        return encode_im2col({map, type, rank, address, dim, stride, lower, upper, channels, pixels, step, interleave,
                              swizzle, 0, fill})
            .empty();
    }
};

bool accepts(const std::function<void(Parameters&)>& change) {
    Parameters p;
    change(p);
    return p.accepted();
}

#define OK(...) CHECK(accepts([](Parameters& p) { __VA_ARGS__; }))
#define INVALID(...) CHECK_FALSE(accepts([](Parameters& p) { __VA_ARGS__; }))

} // namespace

TEST_CASE("im2col: ranks 3 to 5, addresses and strides as for tiles") {
    OK((void)p);
    INVALID(p.rank = 2);
    OK(p.rank = 3);
    OK(p.rank = 5);
    INVALID(p.rank = 6);
    INVALID(p.address += 8);
    OK(p.address += 16);
    OK(p.address = 0);
    INVALID(p.stride[0] = 264);
    OK(p.stride[0] = 0);
    OK(p.stride[0] = 16);
    INVALID(p.stride[2] = uint64_t{1} << 40);
    INVALID(p.dim[0] = 0);
    INVALID(p.dim[3] = 0);
    OK(p.dim[3] = uint64_t{1} << 32);
    INVALID(p.dim[3] = (uint64_t{1} << 32) + 1);
}

TEST_CASE("im2col: 1 to 256 channels in multiples of 16 bytes, 1 to 1024 pixels, at most 228 KiB in all") {
    for (const uint32_t bad : {0u, 1u, 3u, 257u})
        CHECK_FALSE(accepts([=](Parameters& p) { p.channels = bad; }));
    for (const uint32_t good : {4u, 128u, 256u})
        CHECK(accepts([=](Parameters& p) { p.channels = good; }));
    OK(p.channels = 64; p.dim[0] = 4);
    INVALID(p.pixels = 0);
    OK(p.pixels = 1);
    OK(p.pixels = 1024);
    INVALID(p.pixels = 1025);
    INVALID(p.channels = 256; p.pixels = 256);
    INVALID(p.channels = 128; p.pixels = 512);
    INVALID(p.channels = 64; p.pixels = 1024);
    OK(p.channels = 56; p.pixels = 1024);
    OK(p.channels = 228; p.pixels = 256);
    OK(p.type = uint8; p.channels = 16);
    INVALID(p.type = uint8; p.channels = 8);
}

TEST_CASE("im2col: corners have as many bits as the rank leaves them") {
    for (const auto& [rank, most] : {std::pair{3u, 32767}, {4u, 127}, {5u, 15}}) {
        auto fits = [rank = rank](int lower, int upper) {
            return accepts([=](Parameters& p) {
                p.rank = rank;
                p.dim[1] = p.dim[2] = p.dim[3] = 70000;
                p.lower[rank - 3] = lower;
                p.upper[rank - 3] = upper;
            });
        };
        CHECK(fits(most, 0));
        CHECK_FALSE(fits(most + 1, 0));
        CHECK(fits(-most - 1, 0));
        CHECK_FALSE(fits(-most - 2, 0));
        CHECK(fits(0, most));
        CHECK_FALSE(fits(0, most + 1));
        CHECK(fits(0, -most - 1));
        CHECK_FALSE(fits(0, -most - 2));
    }
}

TEST_CASE("im2col: the pixel box holds at least one pixel; its upper corner counts from the end") {
    OK(p.lower[0] = 31);
    INVALID(p.lower[0] = 32);
    OK(p.upper[0] = -31);
    INVALID(p.upper[0] = -32);
    INVALID(p.rank = 5; p.lower[2] = 15);
    INVALID(p.lower[0] = 5; p.upper[0] = -30);
    OK(p.lower[0] = -3; p.upper[0] = -33);
}

TEST_CASE("im2col: element strides 1 to 8") {
    OK(p.step[0] = 2);
    INVALID(p.step[0] = 9);
    INVALID(p.step[0] = 0);
    OK(p.step[1] = 8);
    INVALID(p.step[1] = 9);
    INVALID(p.step[1] = 0);
    OK(p.step[3] = 2);
    INVALID(p.step[3] = 9);
}

TEST_CASE("im2col: swizzles, interleaved layouts, fills") {
    OK(p.swizzle = 1; p.channels = 8);
    INVALID(p.swizzle = 1; p.channels = 16);
    OK(p.swizzle = 2; p.channels = 16);
    INVALID(p.swizzle = 2);
    OK(p.swizzle = 3);
    INVALID(p.swizzle = 3; p.channels = 64);
    INVALID(p.swizzle = 4);
    OK(p.interleave = 1);
    OK(p.interleave = 1; p.rank = 3);
    INVALID(p.interleave = 1; p.channels = 3);
    OK(p.interleave = 1; p.swizzle = 3; p.channels = 64);
    OK(p.interleave = 2);
    OK(p.interleave = 2; p.swizzle = 1);
    OK(p.interleave = 2; p.swizzle = 3);
    INVALID(p.interleave = 2; p.address += 16);
    INVALID(p.interleave = 2; p.stride[0] = 272);
    INVALID(p.interleave = 2; p.channels = 6);
    OK(p.fill = 1);
    INVALID(p.fill = 1; p.type = int32);
    INVALID(p.type = 99);
}

TEST_CASE("im2col: the map holds what was asked for") {
    Parameters p;
    p.lower[0] = -1;
    p.upper[1] = -2;
    REQUIRE(p.accepted());
    const auto map = TensorMap::unpack(std::span<const std::byte, 128>(p.map, 128));
    CHECK(map.im2col);
    CHECK(map.lower_corner[0] == -1);
    CHECK(map.upper_corner[1] == -2);
    CHECK(map.im2col_bytes() == 32 * 64 * 4);
    CHECK(unusable(map, LoadMode::im2col).empty());
    CHECK_FALSE(unusable(map, LoadMode::tile).empty());
}
