// The bytes of a tile: bounds, strides, swizzles, im2col.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "sim/async/tensor_map.h"

using namespace sim::async;

namespace {

TensorMap matrix(uint64_t width, uint64_t height, uint32_t box_x, uint32_t box_y, ElementType type = ElementType::s32) {
    TensorMap map;
    map.address = 1 << 20;
    map.rank = 2;
    map.type = type;
    map.dim[0] = width;
    map.dim[1] = height;
    map.stride[0] = width * element_bytes(type);
    map.box[0] = box_x;
    map.box[1] = box_y;
    return map;
}

/// Shared offset of each 4-byte element -> its address in the tensor (0: outside).
std::map<uint32_t, uint64_t> elements(const std::vector<TileBytes>& pieces) {
    std::map<uint32_t, uint64_t> result;
    for (const auto& piece : pieces)
        for (uint32_t i = 0; i < piece.bytes; i += 4) {
            CHECK_FALSE(result.contains(piece.offset + i));
            result[piece.offset + i] = piece.inside ? piece.address + i : 0;
        }
    return result;
}

uint64_t sum(const std::vector<TileBytes>& pieces) {
    uint64_t bytes = 0;
    for (const auto& piece : pieces)
        bytes += piece.bytes;
    return bytes;
}

} // namespace

TEST_CASE("a tile takes each element from its place, and marks what lies outside, at any coordinate") {
    for (const auto& [box_x, box_y] : {std::pair{32u, 8u}, std::pair{36u, 10u}})
        for (const int x : {-36, -8, -4, 0, 4, 40, 44, 100})
            for (const int y : {-1, 0, 7, 20, 21}) {
                const TensorMap map = matrix(44, 21, box_x, box_y);
                const int32_t at[] = {x, y};
                const auto found = elements(tile(map, at, 1024));
                CHECK(found.size() == box_x * box_y);
                for (uint32_t j = 0; j < box_y; ++j)
                    for (uint32_t i = 0; i < box_x; ++i) {
                        const int64_t gx = x + int64_t(i), gy = y + int64_t(j);
                        const bool inside = gx >= 0 && gx < 44 && gy >= 0 && gy < 21;
                        CHECK(found.at(1024 + 4 * (j * box_x + i)) ==
                              (inside ? map.address + 4 * uint64_t(gy * 44 + gx) : 0));
                    }
            }
}

TEST_CASE("a store writes whole pieces of 16 bytes, a load reads what is inside") {
    // An H200, 2026-11-21: uint8 to float64, rows of 1 to 168 bytes, stores and integer reductions, swizzled or not.
    for (const auto& [width, x, load, store] : {std::array{1, 0, 4, 16},
                                                {5, 0, 20, 32},
                                                {5, 4, 4, 16},
                                                {5, 8, 0, 0},
                                                {8, 0, 32, 32},
                                                {17, 0, 64, 64},
                                                {21, 8, 52, 64}}) {
        TensorMap map = matrix(uint64_t(width), 1, 16, 1);
        map.stride[0] = 256;
        const int32_t at[] = {x, 0};
        const auto inside = [&](bool to_global) {
            int bytes = 0;
            for (const auto& piece : tile(map, at, 0, to_global))
                bytes += piece.inside ? int(piece.bytes) : 0;
            return bytes;
        };
        CHECK(inside(false) == load);
        CHECK(inside(true) == store);
    }
}

TEST_CASE("the full box counts, whatever lies outside") {
    const TensorMap map = matrix(44, 21, 32, 8);
    CHECK(map.tile_bytes() == 32 * 8 * 4);
    for (const int x : {-100, 0, 40}) {
        const int32_t at[] = {x, 20};
        CHECK(sum(tile(map, at, 0)) == map.tile_bytes());
    }
}

TEST_CASE("element strides thin out a box: ceil(box / stride)") {
    TensorMap map = matrix(64, 64, 32, 9);
    map.element_stride[1] = 2;
    CHECK(map.tile_bytes() == 32 * 5 * 4);
    const int32_t at[] = {0, 3};
    const auto found = elements(tile(map, at, 0));
    CHECK(found.size() == 32 * 5);
    CHECK(found.at(4 * 32) == map.address + 4 * (64 * 5));
    map.element_stride[0] = 2; // without interleaved layout, dimension 0 has none
    CHECK(map.tile_bytes() == 32 * 5 * 4);
}

TEST_CASE("dimensions three to five follow their own strides") {
    TensorMap map = matrix(16, 8, 4, 2);
    map.rank = 5;
    for (uint32_t d = 2; d < 5; ++d) {
        map.dim[d] = 3;
        map.box[d] = 2;
        map.stride[d - 1] = map.stride[d - 2] * (d == 2 ? 8 : 3);
    }
    const int32_t at[] = {4, 1, 2, 0, 1};
    const auto found = elements(tile(map, at, 0));
    CHECK(found.size() == 4 * 2 * 2 * 2 * 2);
    const auto address = [&](int x, int y, int z, int u, int v) {
        return map.address + 4 * uint64_t(x + 16 * (y + 8 * (z + 3 * (u + 3 * v))));
    };
    CHECK(found.at(0) == address(4, 1, 2, 0, 1));
    CHECK(found.at(16) == address(4, 2, 2, 0, 1));
    CHECK(found.at(32) == 0); // z = 3
    CHECK(found.at(64) == address(4, 1, 2, 1, 1));
    CHECK(found.at(128) == address(4, 1, 2, 0, 2));
}

TEST_CASE("swizzles are an XOR of absolute address bits that loses nothing") {
    CHECK(swizzled(Swizzle::span128, 0x080) == 0x090);
    CHECK(swizzled(Swizzle::span128, 0x3f0) == 0x380);
    CHECK(swizzled(Swizzle::span64, 0x180) == 0x1b0);
    CHECK(swizzled(Swizzle::span64, 0x200) == 0x200);
    CHECK(swizzled(Swizzle::span32, 0x080) == 0x090);
    CHECK(swizzled(Swizzle::span32, 0x100) == 0x100);
    for (const auto swizzle : {Swizzle::span32, Swizzle::span64, Swizzle::span128}) {
        std::set<uint32_t> seen;
        for (uint32_t at = 0; at < 4096; ++at)
            seen.insert(swizzled(swizzle, at));
        CHECK(seen.size() == 4096);
        CHECK(*seen.rbegin() == 4095);
    }
}

TEST_CASE("a swizzled tile at a base that is only 128-aligned has a row offset") {
    TensorMap map = matrix(32, 32, 32, 8);
    map.swizzle = Swizzle::span128;
    const int32_t at[] = {0, 0};
    CHECK(elements(tile(map, at, 0)).at(0) == map.address);
    CHECK(elements(tile(map, at, 128)).at(128 + 16) == map.address);
    CHECK(elements(tile(map, at, 1024)).at(1024 + 128 + 16) == map.address + 128);
}

TEST_CASE("a swizzled row that is shorter than the span takes the whole span in shared memory, but not in bytes") {
    TensorMap map = matrix(64, 32, 4, 8); // rows of 16 bytes
    map.swizzle = Swizzle::span128;
    CHECK(map.tile_bytes() == 8 * 16);
    const int32_t at[] = {0, 0};
    const auto found = elements(tile(map, at, 0));
    CHECK(found.size() == 8 * 4);
    for (uint32_t row = 0; row < 8; ++row)
        CHECK(found.at(row * 128 + row * 16) == map.address + row * 256);
}

TEST_CASE("interleaved: dimension 0 goes in steps of 16 or 32 bytes, and a copy takes one slice of channels") {
    TensorMap map = matrix(16, 8, 4, 3); // w, h, slices of channels, n
    map.interleave = Interleave::bytes16;
    map.rank = 4;
    map.dim[2] = map.dim[3] = 4;
    map.stride = {256, 2048, 8192, 0};
    map.box[2] = 3;
    map.box[3] = 2;
    CHECK(map.tile_bytes() == 4 * 3 * 2 * 16);
    const int32_t at[] = {1, 2, 3, 0};
    auto found = elements(tile(map, at, 0));
    CHECK(found.size() == 4 * 3 * 2 * 4);
    CHECK(found.at(0) == map.address + 16 + 2 * 256 + 3 * 2048);
    CHECK(found.at(16) == map.address + 2 * 16 + 2 * 256 + 3 * 2048);
    CHECK(found.at(3 * 64) == map.address + 16 + 2 * 256 + 3 * 2048 + 8192);
    map.element_stride[0] = 3; // counts here
    CHECK(map.tile_bytes() == 2 * 3 * 2 * 16);
    found = elements(tile(map, at, 0));
    CHECK(found.at(16) == map.address + 4 * 16 + 2 * 256 + 3 * 2048);
}

TEST_CASE("NaN fill is 0x7ff7 in every 16 bits, whatever the type") {
    for (const auto type :
         {ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::tf32}) {
        TensorMap map = matrix(8, 8, 8, 8, type);
        map.fill = Fill::nan;
        CHECK(map.fill_pattern()[6] == std::byte{0xf7});
        CHECK(map.fill_pattern()[7] == std::byte{0x7f});
    }
}

TEST_CASE("an im2col copy starts inside the pixel box") {
    TensorMap map;
    map.rank = 3;
    map.im2col = true;
    map.dim = {4, 10, 2, 1, 1};
    map.lower_corner[0] = -1;
    map.upper_corner[0] = -2;
    for (const auto& [w, inside] : {std::pair{-2, false}, {-1, true}, {7, true}, {8, false}}) {
        const int32_t at[] = {0, w, 5};
        CHECK(outside_pixel_box(map, LoadMode::im2col, at).empty() == inside);
    }
}

TEST_CASE("im2col takes pixels row by row through the bounding box, moved by the offsets") {
    TensorMap map; // c = 4, w = 5, h = 4, n = 2; a 3x3 filter with padding 1
    map.address = 1 << 20;
    map.rank = 4;
    map.type = ElementType::f32;
    map.im2col = true;
    map.dim = {4, 5, 4, 2, 1};
    map.stride = {16, 80, 320, 0};
    map.lower_corner = {-1, -1, 0};
    map.upper_corner = {-1, -1, 0};
    map.channels_per_pixel = 4;
    map.pixels_per_column = 8;
    CHECK(map.im2col_bytes() == 8 * 16);
    const int32_t at[] = {0, -1, -1, 0};
    const int32_t first[] = {0, 0, 0}, centre[] = {1, 1, 0};
    auto found = elements(im2col_tile(map, at, first, 0));
    CHECK(found.size() == 8 * 4);
    CHECK(found.at(0) == 0);
    found = elements(im2col_tile(map, at, centre, 0));
    for (uint32_t pixel = 0; pixel < 8; ++pixel)
        CHECK(found.at(pixel * 16) == map.address + pixel * 16); // five pixels of the first row, three of the second
}

TEST_CASE("packing and unpacking keep every field, and zero bytes are a map of rank 1") {
    TensorMap map = matrix(uint64_t{1} << 32, 21, 256, 8, ElementType::bf16);
    map.swizzle = Swizzle::span64;
    map.fill = Fill::nan;
    map.element_stride[1] = 8;
    const TensorMap copy = TensorMap::unpack(map.pack());
    CHECK(copy.address == map.address);
    CHECK(copy.rank == 2);
    CHECK(copy.type == ElementType::bf16);
    CHECK(copy.swizzle == Swizzle::span64);
    CHECK(copy.fill == Fill::nan);
    CHECK(copy.dim == map.dim);
    CHECK(copy.stride == map.stride);
    CHECK(copy.box == map.box);
    CHECK(copy.element_stride == map.element_stride);
    const std::array<std::byte, 128> zeros{};
    CHECK(TensorMap::unpack(zeros).rank == 1);
    CHECK(TensorMap::unpack(zeros).box[0] == 1);
}

TEST_CASE("maps that tensormap.replace can make and no copy can use say why") {
    CHECK(unusable(matrix(64, 64, 32, 8), LoadMode::tile) == "");
    TensorMap map = matrix(64, 64, 32, 8);
    map.rank = 6;
    CHECK(unusable(map, LoadMode::tile).find("rank") != std::string::npos);
    map = matrix(64, 64, 33, 8);
    CHECK(unusable(map, LoadMode::tile).find("multiple of 16") != std::string::npos);
    map = matrix(64, 64, 32, 8);
    map.swizzle = Swizzle::span64;
    CHECK(unusable(map, LoadMode::tile).find("swizzle") != std::string::npos);
    map = matrix(64, 64, 32, 8);
    map.address += 8;
    CHECK(unusable(map, LoadMode::tile).find("address") != std::string::npos);
    CHECK(unusable(matrix(64, 64, 32, 8), LoadMode::im2col).find("tiles") != std::string::npos);
}

TEST_CASE("gather4 and scatter4 take four rows at their own coordinates") {
    const TensorMap map = matrix(16, 10, 8, 1);
    CHECK(map.copy_bytes(LoadMode::four_rows, 0) == 128);
    const int32_t at[] = {12, 9, 0, 10, -1};
    const auto found = elements(four_rows(map, at, 256));
    CHECK(found.size() == 32);
    CHECK(found.at(256) == map.address + 4 * (9 * 16 + 12));
    CHECK(found.at(256 + 12) == map.address + 4 * (9 * 16 + 15));
    CHECK(found.at(256 + 16) == 0); // beyond the row's end
    CHECK(found.at(256 + 32) == map.address + 4 * 12);
    CHECK(found.at(256 + 64) == 0);
    CHECK(found.at(256 + 96) == 0);
    CHECK(unusable(map, LoadMode::four_rows) == "");
    CHECK(unusable(matrix(16, 10, 8, 2), LoadMode::four_rows).find("2 rows") != std::string::npos);
}

TEST_CASE("larger atoms of the 128-byte swizzle keep their bytes together, and nothing is lost") {
    CHECK(swizzled(Swizzle::span128, 0x080, Atom::bytes32) == 0x0a0);
    CHECK(swizzled(Swizzle::span128, 0x190, Atom::bytes32) == 0x1f0);
    CHECK(swizzled(Swizzle::span128, 0x200, Atom::bytes32) == 0x200);
    CHECK(swizzled(Swizzle::span128, 0x080, Atom::bytes32_flip8) == 0x0a8);
    CHECK(swizzled(Swizzle::span128, 0x080, Atom::bytes64) == 0x0c0);
    CHECK(swizzled(Swizzle::span96, 0x080) == 0x090);
    for (const auto atom : {Atom::bytes32, Atom::bytes32_flip8, Atom::bytes64}) {
        std::set<uint32_t> seen;
        for (uint32_t at = 0; at < 1024; ++at)
            seen.insert(swizzled(Swizzle::span128, at, atom));
        CHECK(seen.size() == 1024);
        TensorMap map = matrix(32, 16, 32, 16);
        map.swizzle = Swizzle::span128;
        map.atom = atom;
        const int32_t origin[] = {0, 0};
        CHECK(elements(tile(map, origin, 1024)).size() == 512);
        CHECK(TensorMap::unpack(map.pack()).atom == atom);
        CHECK(map.is_newer());
    }
}

TEST_CASE("packed elements: sixteen at a time, and what pads them in shared memory is not written") {
    struct Row {
        ElementType type;
        uint32_t box, global, shared;
    };
    for (const auto& [type, box, global, shared] :
         {Row{ElementType::b4x16, 64, 8, 8}, Row{ElementType::b4x16_p64, 128, 8, 16},
          Row{ElementType::b6x16_p32, 128, 12, 16}}) {
        TensorMap map = matrix(256, 4, box, 2, type);
        map.stride[0] = 256 / 16 * global;
        CHECK(unusable(map, LoadMode::tile) == "");
        CHECK(map.tile_bytes() == uint64_t{2} * box / 16 * shared);
        const int32_t at[] = {128, 3};
        const auto pieces = tile(map, at, 0);
        CHECK(sum(pieces) == uint64_t{2} * box / 16 * global);
        CHECK(pieces[1].offset == shared);
        CHECK(pieces[1].address == map.address + 3 * map.stride[0] + 128 / 16 * global + global);
        CHECK_FALSE(pieces.back().inside); // row 4
        map.box[0] = 96;
        CHECK((unusable(map, LoadMode::tile) == "") == (type == ElementType::b4x16));
    }
}

TEST_CASE("im2col::w walks along w and through the images; each 32 pixels of im2col::w::128 have a halo") {
    TensorMap map; // c = 4, w = 10, n = 30
    map.address = 1 << 20;
    map.rank = 3;
    map.type = ElementType::f32;
    map.im2col = true;
    map.wide = LoadMode::im2col_w128;
    map.dim = {4, 10, 30, 1, 1};
    map.stride = {16, 160, 0, 0};
    map.channels_per_pixel = 4;
    map.pixels_per_column = 128;
    CHECK(map.im2col_bytes(LoadMode::im2col_w128, 3) == 16 * (128 + 4 * 3));
    CHECK(map.im2col_bytes(LoadMode::im2col_w, 3) == 16 * (128 + 3));
    const int32_t at[] = {0, 0, 0};
    const auto found = elements(im2col_w_tile(map, LoadMode::im2col_w128, at, 3, 0, 0));
    CHECK(found.size() == 4 * 140);
    CHECK(found.at(16 * 31) == map.address + 160 * 3 + 16); // pixel 31: w = 1 of image 3
    CHECK(found.at(16 * 32) == map.address + 160 * 3 + 32); // its halo: w = 2, 3, 4
    CHECK(found.at(16 * 35) == map.address + 160 * 3 + 32); // pixel 32
    map.lower_corner[0] = -1;
    map.upper_corner[0] = 0;
    map.element_stride[1] = 2;
    const int32_t left[] = {0, -1, 0};
    CHECK(outside_pixel_box(map, LoadMode::im2col_w, left) == "");
    map.pixels_per_column = 7;
    const auto even = elements(im2col_w_tile(map, LoadMode::im2col_w, left, 1, 0, 0));
    CHECK(even.at(0) == 0); // w = -1
    CHECK(even.at(16) == map.address + 16);
    CHECK(even.at(16 * 5) == map.address + 16 * 9); // the last of the row
    CHECK(even.at(16 * 6) == 0);                    // w = -1 of the next image
    CHECK(even.at(16 * 7) == map.address + 160 + 16);
    const auto odd = elements(im2col_w_tile(map, LoadMode::im2col_w, left, 0, 1, 0));
    CHECK(odd.at(0) == map.address);
    CHECK(odd.at(16 * 4) == map.address + 16 * 8);
    CHECK(odd.at(16 * 5) == 0); // the box has moved, too
    CHECK(odd.at(16 * 6) == map.address + 160);
}
