// What an H100's driver returned for each set of parameters; see docs/fidelity.md.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "sim/async/tensor_map.h"

using namespace sim::async;

namespace {

// The driver's numbers.
enum : uint32_t { uint8 = 0, int32 = 3, float32 = 7, float64 = 8 };

struct Parameters {
    alignas(128) std::byte storage[256]{};
    size_t map_at = 0;
    bool no_map = false, no_dim = false, no_stride = false, no_box = false, no_step = false;
    uint32_t sm = 90, type = float32, rank = 2, interleave = 0, swizzle = 0, l2 = 0, fill = 0;
    uint64_t address = 0x1000'0000'0000;
    uint64_t dim[6] = {64, 64, 4, 4, 4, 4}, stride[6] = {256, 256 * 64, 256 * 256, 256 * 1024, 256 * 4096, 0};
    uint32_t box[6] = {32, 8, 1, 1, 1, 1}, step[6] = {1, 1, 1, 1, 1, 1};

    bool accepted() {
        return encode_tiled({no_map ? nullptr : storage + map_at, type, rank, address, no_dim ? nullptr : dim,
                             no_stride ? nullptr : stride, no_box ? nullptr : box, no_step ? nullptr : step, interleave,
                             swizzle, l2, fill, sm})
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

TEST_CASE("the map may be aligned to 64, 32 and 16 bytes") {
    OK((void)p);
    OK(p.map_at = 64);
    OK(p.map_at = 32);
    OK(p.map_at = 16);
    OK(p.map_at = 8);
}

TEST_CASE("addresses: null and host addresses pass, multiples of 16 only") {
    OK(p.address = 0);
    INVALID(p.address += 8);
    OK(p.address += 16);
    OK(p.address = 0x7fff'0000'0000);
}

TEST_CASE("ranks 1 to 5") {
    INVALID(p.rank = 0);
    OK(p.rank = 1);
    OK(p.rank = 5);
    INVALID(p.rank = 6);
}

TEST_CASE("dimensions 1 to 2^32; rows need be no multiple of 16 bytes") {
    INVALID(p.dim[0] = 0);
    INVALID(p.dim[1] = 0);
    OK(p.dim[1] = uint64_t{1} << 32);
    INVALID(p.dim[1] = (uint64_t{1} << 32) + 1);
    OK(p.dim[0] = 63);
}

TEST_CASE("strides are multiples of 16 below 2^40; there is no other condition") {
    INVALID(p.stride[0] = 260);
    INVALID(p.stride[0] = 264);
    OK(p.stride[0] = 272);
    OK(p.stride[0] = 0);
    OK(p.stride[0] = 128);
    INVALID(p.stride[0] = uint64_t{1} << 40);
    OK(p.stride[0] = (uint64_t{1} << 40) - 16);
    OK(p.rank = 3; p.stride[1] = 256 + 16);
    OK(p.rank = 3; p.stride[1] = 128);
    OK(p.rank = 3; p.stride[1] = 256 * 32);
}

TEST_CASE("boxes of 1 to 256, rows of the box in multiples of 16 bytes; size in all does not matter") {
    INVALID(p.box[1] = 0);
    OK(p.box[1] = 256);
    INVALID(p.box[1] = 257);
    INVALID(p.box[0] = 3);
    INVALID(p.box[0] = 2);
    OK(p.dim[0] = 16; p.dim[1] = 4);
    OK(p.dim[0] = p.dim[1] = 256; p.stride[0] = 1024; p.box[0] = 256; p.box[1] = 128);
}

TEST_CASE("a box of 256 x 256 float32 is refused") {
    INVALID(p.dim[0] = p.dim[1] = 256; p.stride[0] = 1024; p.box[0] = p.box[1] = 256);
    OK(p.dim[0] = p.dim[1] = 256; p.stride[0] = 1024; p.box[0] = 256; p.box[1] = 228);
    INVALID(p.dim[0] = p.dim[1] = 256; p.stride[0] = 1024; p.box[0] = 256; p.box[1] = 229);
}

TEST_CASE("element strides 1 to 8") {
    OK(p.step[0] = 2);
    OK(p.step[1] = 2);
    OK(p.step[1] = 8);
    INVALID(p.step[1] = 9);
    INVALID(p.step[1] = 0);
    INVALID(p.step[0] = 0);
}

TEST_CASE("swizzles: the box's rows fit into the span") {
    OK(p.swizzle = 1; p.box[0] = 8);
    INVALID(p.swizzle = 1; p.box[0] = 16);
    OK(p.swizzle = 2; p.box[0] = 16);
    OK(p.swizzle = 3; p.box[0] = 4);
    OK(p.swizzle = 3; p.box[0] = 32);
    INVALID(p.swizzle = 3; p.box[0] = 64);
    OK(p.swizzle = 3; p.address += 16);
    INVALID(p.swizzle = 4);
    INVALID(p.swizzle = 9);
}

TEST_CASE("interleaved layouts need rank 3; 32B needs 32-byte alignment and works with and without swizzle") {
    INVALID(p.interleave = 1);
    OK(p.interleave = 1; p.rank = 3);
    INVALID(p.interleave = 1; p.rank = 3; p.box[0] = 3);
    OK(p.interleave = 2; p.rank = 3);
    OK(p.interleave = 2; p.rank = 3; p.swizzle = 1);
    INVALID(p.interleave = 2; p.rank = 3; p.address += 16);
}

TEST_CASE("NaN fill is for floating-point types; enumerations are checked") {
    OK(p.fill = 1);
    INVALID(p.fill = 1; p.type = int32);
    INVALID(p.fill = 7);
    INVALID(p.l2 = 9);
    INVALID(p.type = 99);
    OK(p.type = uint8; p.box[0] = 16);
}

TEST_CASE("null pointers are refused, strides even when none is read") {
    INVALID(p.no_map = true);
    INVALID(p.no_dim = true);
    INVALID(p.no_stride = true);
    INVALID(p.no_stride = true; p.rank = 1);
    INVALID(p.no_box = true);
    INVALID(p.no_step = true);
}

TEST_CASE("the driver's types become PTX's") {
    Parameters p;
    const std::pair<uint32_t, ElementType> types[] = {{0, ElementType::u8},       {7, ElementType::f32},
                                                      {8, ElementType::f64},      {9, ElementType::bf16},
                                                      {10, ElementType::f32_ftz}, {11, ElementType::tf32}};
    for (const auto& [driver, type] : types) {
        p.type = driver;
        REQUIRE(p.accepted());
        CHECK(TensorMap::unpack(std::span<const std::byte, 128>(p.storage, 128)).type == type);
    }
}

TEST_CASE("sm_100: swizzles with larger atoms, and packed elements (the driver's manual; not measured)") {
    OK(p.sm = 100; p.swizzle = 4);
    OK(p.sm = 100; p.swizzle = 6);
    INVALID(p.sm = 100; p.swizzle = 7);
    INVALID(p.sm = 100; p.swizzle = 5; p.box[0] = 64);
    INVALID(p.type = 13; p.dim[0] = 256; p.stride[0] = 128; p.box[0] = 32);
    OK(p.sm = 100; p.type = 13; p.dim[0] = 256; p.stride[0] = 128; p.box[0] = 32);
    INVALID(p.sm = 100; p.type = 13; p.dim[0] = 255; p.stride[0] = 128; p.box[0] = 32);
    for (const uint32_t type : {14u, 15u}) {
        CAPTURE(type);
        const auto packed = [&](uint32_t width, uint32_t box, uint32_t swizzle, uint32_t stride, uint32_t fill) {
            return accepts([&](Parameters& p) {
                p.sm = 100;
                p.type = type;
                p.dim[0] = width;
                p.stride[0] = stride;
                p.box[0] = box;
                p.swizzle = swizzle;
                p.fill = fill;
            });
        };
        CHECK(packed(256, 128, 0, 192, 0));
        CHECK(packed(256, 128, 3, 192, 0));
        CHECK(packed(256, 128, 4, 192, 0));
        CHECK_FALSE(packed(256, 128, 5, 192, 0));
        CHECK_FALSE(packed(256, 128, 2, 192, 0));
        CHECK_FALSE(packed(256, 64, 0, 192, 0));
        CHECK_FALSE(packed(192, 128, 0, 192, 0));
        CHECK_FALSE(packed(256, 128, 0, 208, 0));
        CHECK_FALSE(packed(256, 128, 0, 192, 1));
    }
}
