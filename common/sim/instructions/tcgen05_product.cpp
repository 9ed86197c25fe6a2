#include "sim/instructions/tcgen05_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "sim/async/engine.h"
#include "sim/instructions/tcgen05_numbers.h"

namespace sim::instructions::tcgen05 {
namespace {

using async::TensorMemory;

constexpr uint32_t most_rows = 128, most_columns = 256, most_depth = 64;
constexpr uint32_t k_bytes = 32; // that a line of A or B has
constexpr uint32_t nan32 = 0x7fffffff, nan16 = 0x7fff;
constexpr uint32_t unspecified = 0xdbdb0000; // the upper half of a cell of f16

struct Room {
    alignas(64) float a[most_depth * most_rows];    // [k][row]
    alignas(64) float b[most_columns * most_depth]; // [n][k]
    alignas(64) float scaled[most_columns * most_depth];
    alignas(64) float d[most_columns * most_rows]; // [n][row]
};

// On the heap, made at its first use: thread-local storage is cleared whenever a program or a thread starts.
Room& room() {
    static thread_local const auto one = std::make_unique<Room>();
    return *one;
}

TensorMemory& memory_of(const Part& part) {
    return async::Engine::of(*part.block).tensor_memory();
}

/// Element (line, k) is at line * by_line + k * by_k.
struct Order {
    uint32_t by_line, by_k;
};

void load_shared(const SharedMatrix& matrix, Format format, const Variant& variant, bool transposed, bool negate,
                 uint32_t inner, Order order, float* to) {
    const auto* memory = reinterpret_cast<const uint8_t*>(matrix.block->shared.data());
    const Packing packing = stored_bits(format, variant.kind) == 4 ? Packing::nibbles : Packing::padded;
    float elements[32];
    for (uint32_t i = 0; i < matrix.offsets.size(); ++i) {
        const uint32_t count = decode(format, packing, memory + matrix.offsets[i], elements);
        const uint32_t outer = i / inner, first = i % inner * count;
        const uint32_t stride = transposed ? order.by_line : order.by_k;
        float* const at = to + outer * (transposed ? order.by_k : order.by_line) + first * stride;
        for (uint32_t e = 0; e < count; ++e)
            at[e * stride] = negate ? -elements[e] : elements[e];
    }
}

void load_cells(const Multiplication& m, const Part& part, float* to) {
    const TensorMemory& memory = memory_of(part);
    const Packing packing = stored_bits(m.product.a, m.variant.kind) == 4 ? Packing::nibbles : Packing::containers;
    float elements[32];
    for (const Rectangle& r : part.a_cells) {
        if (r.n) // another copy
            continue;
        for (uint32_t row = 0; row < r.rows; ++row)
            for (uint32_t piece = 0; piece < 2; ++piece) {
                uint32_t words[4];
                for (uint32_t i = 0; i < 4; ++i)
                    words[i] = memory.cell(r.lane + row, r.column + 4 * piece + i);
                const uint32_t count = decode(m.product.a, packing, reinterpret_cast<const uint8_t*>(words), elements);
                for (uint32_t e = 0; e < count; ++e)
                    to[(piece * count + e) * m.rows() + r.row + row] = m.product.negate_a ? -elements[e] : elements[e];
            }
    }
}

/// The scale factor `s` of line `line`, which are spread over 32 lanes and as many columns as needed. The hardware
/// wants a copy in each quarter of the lanes; this is the one that begins in lane `first`.
float scale(const Multiplication& m, const TensorMemory& memory, uint32_t first, uint32_t column, uint32_t line,
            uint32_t byte) {
    const uint32_t cell = memory.cell(first + line % 32, std::min(column + line / 32, TensorMemory::columns - 1));
    const auto bits = uint8_t(cell >> (8 * byte));
    return m.product.ue8m0 ? from_ue8m0(bits) : from_ue4m3(bits);
}

void scale_a(const Multiplication& m, const Part& part, float* a) {
    const uint32_t rows = m.rows(), size = m.product.k / m.variant.scales;
    for (uint32_t s = 0; s < m.variant.scales; ++s)
        for (uint32_t row = 0; row < rows; ++row) {
            const float factor = scale(m, memory_of(part), 0, m.scales_a, row, m.product.scale_a_id + s);
            for (uint32_t k = s * size; k < (s + 1) * size; ++k)
                a[k * rows + row] *= factor;
        }
}

void scale_b(const Multiplication& m, const Part& part, const float* b, float* to) {
    const uint32_t size = m.product.k / m.variant.scales;
    const uint32_t half = m.parts.size() == 2 && m.product.m == 128 ? m.product.n / 2 : m.product.n;
    for (uint32_t n = 0; n < m.product.n; ++n)
        for (uint32_t s = 0; s < m.variant.scales; ++s) {
            const float factor =
                scale(m, memory_of(part), n / half * 64, m.scales_b, n % half, m.product.scale_b_id + s);
            for (uint32_t k = n * m.product.k + s * size; k < n * m.product.k + (s + 1) * size; ++k)
                to[k] = b[k] * factor;
        }
}

/// d[n][row] += a[k][row] * b[n][k], in the order of k.
void multiply(const float* a, const float* b, uint32_t rows, uint32_t columns, uint32_t depth, float* d) {
    constexpr uint32_t width = 32;
    for (uint32_t n = 0; n < columns; ++n)
        for (uint32_t row = 0; row < rows; row += width) {
            float sum[width];
            float* const at = d + n * rows + row;
            std::copy_n(at, width, sum);
            for (uint32_t k = 0; k < depth; ++k) {
                const float factor = b[n * depth + k];
                const float* const left = a + k * rows + row;
                for (uint32_t i = 0; i < width; ++i)
                    sum[i] += left[i] * factor;
            }
            std::copy_n(sum, width, at);
        }
}

/// `rows` accumulators in the lanes of a column. Those of s32 are added at the end: their products are small.
void load_sums(const Multiplication& m, const uint32_t* cells, uint32_t rows, float* to) {
    if (!m.accumulate || m.product.d == Sum::s32) {
        std::fill_n(to, rows, 0.0f);
        return;
    }
    for (uint32_t i = 0; i < rows; ++i)
        to[i] = m.product.d == Sum::f16 ? from_half(uint16_t(cells[i])) : std::bit_cast<float>(cells[i]);
    if (m.scale_d)
        for (uint32_t i = 0; i < rows; ++i)
            to[i] = std::ldexp(to[i], -int(m.scale_d));
}

uint32_t rounded(const Multiplication& m, float sum, uint32_t before) {
    if (m.product.d == Sum::s32) {
        const int64_t whole = int64_t{m.accumulate ? int32_t(before) : 0} + int64_t(sum);
        return uint32_t(m.product.saturate ? std::clamp<int64_t>(whole, INT32_MIN, INT32_MAX) : whole);
    }
    if (m.product.d == Sum::f16)
        return unspecified | (sum != sum ? nan16 : to_half(sum));
    return sum != sum ? nan32 : std::bit_cast<uint32_t>(sum);
}

void store_sums(const Multiplication& m, uint32_t part, const Rectangle& r, const float* from, uint32_t* cells) {
    for (uint32_t i = 0; i < r.rows; ++i) {
        const uint32_t lane = r.lane + i;
        if (!(m.disabled[4 * part + lane / 32] >> lane % 32 & 1))
            cells[i] = rounded(m, from[i], cells[i]);
    }
}

void multiply_part(const Multiplication& m, uint32_t number, Room& room) {
    const Part& part = m.parts[number];
    const uint32_t rows = m.rows();
    if (part.a.offsets.empty())
        load_cells(m, part, room.a);
    else
        load_shared(part.a, m.product.a, m.variant, m.product.transpose_a, m.product.negate_a,
                    pieces(m.product.transpose_a, rows, m.product.a, m.variant), {1, rows}, room.a);
    const float* b = room.b;
    if (m.variant.scales) {
        scale_a(m, part, room.a);
        scale_b(m, part, room.b, room.scaled);
        b = room.scaled;
    }
    TensorMemory& memory = memory_of(part);
    for (const Rectangle& r : part.d)
        for (uint32_t n = 0; n < r.columns; ++n)
            load_sums(m, &memory.cell(r.lane, r.column + n), r.rows, room.d + (r.n + n) * rows + r.row);
    multiply(room.a, b, rows, m.product.n, m.product.k, room.d);
    for (const Rectangle& r : part.d)
        for (uint32_t n = 0; n < r.columns; ++n)
            store_sums(m, number, r, room.d + (r.n + n) * rows + r.row, &memory.cell(r.lane, r.column + n));
}

} // namespace

std::vector<Rectangle> rectangles(const Product& p, const Variant& variant, TensorMemory::Address at, uint32_t columns,
                                  bool copies) {
    const bool ws = variant.weight_stationary, pair = variant.group == 2;
    std::vector<Rectangle> result;
    const uint32_t parts = ws && p.m == 32 ? 4 : (ws && p.m == 64) || (pair && p.m == 128) ? 2 : 1;
    if (parts == 1 && p.m == 64) { // half of the lanes of each quarter
        for (uint32_t i = 0; i < 4; ++i)
            result.push_back({16 * i, 16, at.lane + 32 * i, 0, columns, at.column});
        return result;
    }
    const uint32_t rows = 128 / parts, width = copies ? columns : columns / parts;
    for (uint32_t i = 0; i < parts; ++i)
        result.push_back({0, rows, rows * i, width * i, width, at.column});
    return result;
}

uint32_t pieces(bool transposed, uint32_t lines, Format format, const Variant& variant) {
    return (transposed ? lines * stored_bits(format, variant.kind) / 8 : k_bytes) / 16;
}

void carry_out(const Multiplication& m) {
    Room& r = room();
    const auto count = uint32_t(m.parts.size()), columns = m.product.n / count;
    for (uint32_t i = 0; i < count; ++i)
        load_shared(m.parts[i].b, m.product.b, m.variant, m.product.transpose_b, m.product.negate_b,
                    pieces(m.product.transpose_b, columns, m.product.b, m.variant), {m.product.k, 1},
                    r.b + i * columns * m.product.k);
    for (uint32_t i = 0; i < count; ++i)
        multiply_part(m, i, r);
}

} // namespace sim::instructions::tcgen05
