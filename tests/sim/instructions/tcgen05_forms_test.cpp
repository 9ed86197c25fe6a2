// The forms of tcgen05.mma beyond the plain product, tcgen05.cp and .shift, and descriptors that are not legal.
#include <bit>
#include <cstring>
#include <functional>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tensor_memory_kernel.h"

using u32 = uint32_t;

namespace tcgen05_forms_test {

constexpr u32 shared_bytes = 96 << 10, b_at = 48 << 10;

uint16_t bf16(float value) {
    return uint16_t(std::bit_cast<u32>(value) >> 16);
}
/// Whole numbers of .e4m3, .e2m1.
uint8_t e4m3(int value) {
    constexpr uint8_t codes[] = {0, 0x38, 0x40, 0x44, 0x48};
    return uint8_t(codes[std::abs(value)] | (value < 0 ? 0x80 : 0));
}
uint8_t e2m1(int value) {
    constexpr uint8_t codes[] = {0, 2, 4, 5, 6};
    return uint8_t(codes[std::abs(value)] | (value < 0 ? 8 : 0));
}

/// The address of a byte of a K-major matrix without swizzle.
u32 place(u32 lines, u32 line, u32 byte) {
    return line / 8 * 128 + line % 8 * 16 + byte / 16 * lines * 16 + byte % 16;
}
uint64_t descriptor(u32 start, u32 lines) {
    return uint64_t{start / 16} | uint64_t{lines} << 16 | uint64_t{8} << 32 | uint64_t{1} << 46;
}
void put16(std::vector<uint8_t>& memory, u32 at, uint16_t value) {
    std::memcpy(memory.data() + at, &value, 2);
}
int number(u32 line, u32 k) {
    return int((line * 5 + k * 3 + line * k) % 9) - 4;
}
int before(u32 row, u32 n) {
    return int((row * 3 + n * 5) % 23) - 11;
}
int product(u32 row, u32 n, u32 k) {
    int sum = 0;
    for (u32 i = 0; i < k; ++i)
        sum += number(row, i) * number(n + 1000, i);
    return sum;
}

/// A program of one block with A and B of bf16, and an accumulator in columns 0 …
TensorProgram program(u32 rows, u32 columns) {
    TensorProgram p;
    p.shared.emplace_back(shared_bytes);
    p.cells.emplace_back(128 * 512);
    for (u32 k = 0; k < 16; ++k) {
        for (u32 row = 0; row < rows; ++row)
            put16(p.shared[0], place(rows, row, 2 * k), bf16(float(number(row, k))));
        for (u32 n = 0; n < columns; ++n)
            put16(p.shared[0], b_at + place(columns, n, 2 * k), bf16(float(number(n + 1000, k))));
    }
    for (u32 lane = 0; lane < 128; ++lane)
        for (u32 n = 0; n < columns; ++n)
            p.cells[0][n * 128 + lane] = std::bit_cast<u32>(float(before(lane, n)));
    p.values = {descriptor(0, rows), descriptor(b_at, columns)};
    return p;
}
const std::string starts = "add.u64 %rd20, %rd20, %rd10; add.u64 %rd21, %rd21, %rd10; setp.eq.u32 %p8, 0, 0;"
                           "setp.ne.u32 %p9, 0, 0;";
u32 description(u32 m, u32 n, u32 more = 0) {
    return 1 << 4 | 1 << 7 | 1 << 10 | n >> 3 << 17 | m >> 4 << 24 | more;
}
float value(const TensorResult& result, u32 lane, u32 column, u32 block = 0) {
    return std::bit_cast<float>(result.at(block, lane, column));
}

TEST_CASE("tcgen05.mma: A in Tensor Memory") {
    for (const u32 lane : {0u, 16u}) {
        const u32 m = lane ? 64 : 128;
        TensorProgram p = program(m, 16);
        const auto lane_of = [&](u32 row) { return m == 64 ? row / 16 * 32 + row % 16 + lane : row; };
        for (u32 row = 0; row < m; ++row)
            for (u32 k = 0; k < 16; k += 2)
                p.cells[0][(100 + k / 2) * 128 + lane_of(row)] =
                    bf16(float(number(row, k))) | u32{bf16(float(number(row, k + 1)))} << 16;
        p.body = starts + fmt::format("add.u32 %r11, %r10, {}; add.u32 %r12, %r10, {};"
                                      "tcgen05.mma.cta_group::1.kind::f16 [%r12], [%r11], %rd21, {}, %p8;",
                                      100 + (lane << 16), lane << 16, description(m, 16));
        const TensorResult result = run(p);
        REQUIRE_MESSAGE(result.outcome, result.outcome.message);
        for (u32 row = 0; row < m; ++row)
            for (u32 n = 0; n < 16; ++n)
                CHECK(value(result, lane_of(row), n) == float(before(lane_of(row), n) + product(row, n, 16)));
    }
}

TEST_CASE("tcgen05.mma: negated A, scaled D, lanes that stay") {
    TensorProgram p = program(128, 8);
    p.body = starts + fmt::format("mov.u32 %r20, 0; mov.u32 %r21, 0xf0;"
                                  "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%r10], %rd20, %rd21, {}, "
                                  "{{%r20, %r21, %r20, %r20}}, %p8, 2;",
                                  description(128, 8, 1 << 13));
    const TensorResult result = run(p);
    REQUIRE_MESSAGE(result.outcome, result.outcome.message);
    for (u32 row = 0; row < 128; ++row)
        for (u32 n = 0; n < 8; ++n) {
            const bool stays = row >= 36 && row < 40;
            CHECK(value(result, row, n) ==
                  (stays ? float(before(row, n)) : float(before(row, n)) / 4 - float(product(row, n, 16))));
        }
}

TEST_CASE("tcgen05.mma.ws: few rows, spread over all lanes") {
    for (const u32 m : {32u, 64u, 128u}) {
        TensorProgram p = program(m, 64);
        p.body =
            starts + fmt::format("tcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::fill [%r10], %rd20, %rd21, {}, "
                                 "%p9;",
                                 description(m, 64));
        const TensorResult result = run(p);
        REQUIRE_MESSAGE(result.outcome, result.outcome.message);
        const u32 width = 64 * m / 128;
        for (u32 row = 0; row < m; ++row)
            for (u32 n = 0; n < 64; ++n)
                CHECK(value(result, row + n / width * m, n % width) == float(product(row, n, 16)));
    }
}

/// Scale factors of a line, 2^(0 … 2): bytes of UE8M0, or of UE4M3.
uint8_t exponent(u32 line, u32 s) {
    return uint8_t((line + s) % 3);
}

/// A and B with 32 bytes for each line, scale factors in columns 128 … and 192 …, four of each line in a cell.
void check_scaled(const std::string& kind, bool nibbles, u32 scales, bool ue4m3, u32 id) {
    CAPTURE(kind);
    constexpr u32 m = 128, n = 40;
    const u32 k = nibbles ? 64 : 32;
    TensorProgram p;
    p.shared.emplace_back(shared_bytes);
    p.cells.emplace_back(128 * 512);
    for (u32 line = 0; line < m; ++line)
        for (u32 i = 0; i < k; ++i)
            for (const bool of_b : {false, true}) {
                if (of_b && line >= n)
                    continue;
                const int v = number(line + (of_b ? 1000 : 0), i);
                const u32 at = (of_b ? b_at : 0) + place(of_b ? n : m, line, nibbles ? i / 2 : i);
                p.shared[0][at] |= nibbles ? uint8_t(e2m1(v) << 4 * (i % 2)) : e4m3(v);
            }
    for (u32 lane = 0; lane < 128; ++lane)
        for (u32 column = 0; column < 4; ++column)
            for (u32 s = 0; s < scales; ++s) {
                const u32 line = column * 32 + lane % 32, shift = 8 * (id + s);
                const auto code = [&](u32 of) {
                    return u32(ue4m3 ? (7 + exponent(of, s)) << 3 : 127 + exponent(of, s));
                };
                p.cells[0][(128 + column) * 128 + lane] |= code(line) << shift;
                p.cells[0][(192 + column) * 128 + lane] |= code(line + 1) << shift;
            }
    p.values = {descriptor(0, m), descriptor(b_at, n)};
    const u32 types = nibbles ? 1 << 7 | 1 << 10 : 0;
    const u32 bits = types | n >> 3 << 17 | m >> 7 << 27 | id << 29 | id << 4 | u32{!ue4m3} << 23;
    p.body = starts + fmt::format("add.u32 %r11, %r10, 128; add.u32 %r12, %r10, 192;"
                                  "tcgen05.mma.cta_group::1.{} [%r10], %rd20, %rd21, {}, [%r11], [%r12], %p9;",
                                  kind, bits);
    const TensorResult result = run(p);
    REQUIRE_MESSAGE(result.outcome, result.outcome.message);
    for (u32 row = 0; row < m; ++row)
        for (u32 column = 0; column < n; ++column) {
            int sum = 0;
            for (u32 i = 0; i < k; ++i) {
                const u32 s = i * scales / k;
                sum += (number(row, i) * number(column + 1000, i)) << exponent(row, s) << exponent(column + 1, s);
            }
            CHECK(value(result, row, column) == float(sum));
        }
}

TEST_CASE("tcgen05.mma: block scaling") {
    check_scaled("kind::mxf8f6f4.block_scale", false, 1, false, 3);
    check_scaled("kind::mxf8f6f4.block_scale.block32", false, 1, false, 0);
    check_scaled("kind::mxf4.block_scale.scale_vec::2X", true, 2, false, 2);
    check_scaled("kind::mxf4nvf4.block_scale.scale_vec::4X", true, 4, true, 0);
    check_scaled("kind::mxf4nvf4.block_scale.block16", true, 4, false, 0);
}

TEST_CASE("tcgen05.cp: where each row goes") {
    struct {
        const char* shape;
        u32 rows, pieces;
        std::function<bool(u32 lane, u32& row)> source;
    } const shapes[] = {
        {"128x256b", 128, 2, [](u32 lane, u32& row) { return row = lane, true; }},
        {"128x128b", 128, 1, [](u32 lane, u32& row) { return row = lane, true; }},
        {"4x256b", 4, 2, [](u32 lane, u32& row) { return row = lane / 32, lane % 32 == 0; }},
        {"64x128b.warpx2::02_13", 64, 1, [](u32 lane, u32& row) { return row = lane % 64, true; }},
        {"64x128b.warpx2::01_23", 64, 1, [](u32 lane, u32& row) { return row = lane / 64 * 32 + lane % 32, true; }},
        {"32x128b.warpx4", 32, 1, [](u32 lane, u32& row) { return row = lane % 32, true; }},
    };
    for (const auto& shape : shapes)
        for (const u32 group : {1u, 2u}) {
            CAPTURE(shape.shape);
            TensorProgram p;
            p.group = group;
            for (u32 block = 0; block < group; ++block) {
                p.shared.emplace_back(shared_bytes);
                for (u32 row = 0; row < shape.rows; ++row)
                    for (u32 word = 0; word < 4 * shape.pieces; ++word) {
                        const u32 bits = 1 + block * 100000 + row * 100 + word;
                        std::memcpy(p.shared[block].data() + place(shape.rows, row, 4 * word), &bits, 4);
                    }
            }
            p.values = {descriptor(0, shape.rows)};
            p.body = fmt::format("add.u64 %rd20, %rd20, %rd10; add.u32 %r11, %r10, 7;"
                                 "tcgen05.cp.cta_group::{}.{} [%r11], %rd20;",
                                 group, shape.shape);
            const TensorResult result = run(p);
            REQUIRE_MESSAGE(result.outcome, result.outcome.message);
            for (u32 block = 0; block < group; ++block)
                for (u32 lane = 0; lane < 128; ++lane)
                    for (u32 word = 0; word < 4 * shape.pieces; ++word) {
                        u32 row = 0;
                        const bool there = shape.source(lane, row);
                        CHECK(result.at(block, lane, 7 + word) == (there ? 1 + block * 100000 + row * 100 + word : 0));
                    }
        }
}

TEST_CASE("tcgen05.cp unpacks, tcgen05.shift moves rows") {
    TensorProgram p;
    p.shared.emplace_back(shared_bytes);
    p.shared[0][place(128, 5, 3)] = 0xb6;
    p.cells.emplace_back(128 * 512);
    for (u32 lane = 0; lane < 128; ++lane)
        p.cells[0][(40 + 7) * 128 + lane] = lane;
    p.values = {descriptor(0, 128)};
    p.body = "add.u64 %rd20, %rd20, %rd10; tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%r10], %rd20;"
             "add.u32 %r11, %r10, 0x200028; tcgen05.shift.cta_group::1.down [%r11];";
    const TensorResult result = run(p);
    REQUIRE_MESSAGE(result.outcome, result.outcome.message);
    CHECK(result.at(0, 5, 1) == (0x6u << 2 | 0xbu << 2 << 8) << 16); // elements 6 and 7
    CHECK(result.at(0, 31, 47) == 31);
    CHECK(result.at(0, 32, 47) == 33);
    CHECK(result.at(0, 62, 47) == 63);
    CHECK(result.at(0, 63, 47) == 63);
    CHECK(result.at(0, 64, 47) == 64);
}

std::string message(u32 bits, uint64_t a = descriptor(0, 128), const std::string& kind = "f16", u32 lane = 0) {
    TensorProgram p = program(128, 16);
    p.values[0] = a;
    p.body = starts + fmt::format("add.u32 %r10, %r10, {};"
                                  "tcgen05.mma.cta_group::1.kind::{} [%r10], %rd20, %rd21, {}, %p8;",
                                  lane << 16, kind, bits);
    return run(p).outcome.message;
}

TEST_CASE("tcgen05.mma: descriptors that ask for what does not exist") {
    const auto says = [](const std::string& text, const char* what) {
        CHECK_MESSAGE(text.find(what) != std::string::npos, text);
    };
    says(message(description(96, 16)), "M = 96, but .kind::f16 with .cta_group::1 has M = 64 or 128");
    says(message(description(128, 0)), "N = 0");
    says(message(description(128, 16, 1 << 2)), "sparse");
    says(message(description(128, 16, 1 << 6)), "reserved bits");
    says(message(description(128, 16, 1 << 3)), "saturation");
    says(message(description(128, 16, 2 << 7)), "type 3 of A");
    says(message(description(128, 16) & ~(1u << 4)), "needs an A and a B of f16");
    says(message(description(128, 16), descriptor(0, 128), "tf32"), "type 1 of A, which .kind::tf32");
    says(message(description(128, 16), descriptor(0, 128) & ~(uint64_t{1} << 46)), "bits 48-46 are 0");
    says(message(description(128, 16), descriptor(0, 128) | uint64_t{3} << 61), "swizzle modes");
    says(message(description(128, 16), descriptor(0, 128) | 1 << 14), "bits 15-14 are not 0");
    says(message(description(128, 16), descriptor(0, 128) | 0x3f00), "reaches shared address");
    says(message(description(128, 16), descriptor(0, 128), "f16", 16), "begins in lane 16");
    CHECK(message(description(128, 16)).empty());
}

TEST_CASE("tcgen05.mma: any descriptor is carried out or refused") {
    std::mt19937_64 random(1);
    for (u32 round = 0; round < 40; ++round) {
        const u32 bits = round % 2 ? description(64 + 64 * (random() % 2), 8 * u32(1 + random() % 32)) : u32(random());
        const uint64_t a = (random() & ~(uint64_t{0xff} << 53 | uint64_t{7} << 46 | 3 << 14)) | uint64_t{1} << 46;
        message(bits, a);
    }
}

} // namespace tcgen05_forms_test
