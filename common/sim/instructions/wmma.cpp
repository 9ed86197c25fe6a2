// wmma: matrices between memory and the registers of a warp, and their product. Where a fragment's elements are is left
// open by the manual; they are where an H200 has them.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "sim/instructions/binary16.h"
#include "sim/instructions/memory_operands.h"
#include "sim/instructions/tensor_fragments.h"
#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::wmma {
namespace {

using namespace tensor;

enum class Matrix : uint8_t { a, b, accumulator };

/// A matrix in the registers of a warp.
struct Fragment {
    Matrix part = Matrix::a;
    Element element = Element::f16;
    Shape shape;
    Registers registers;

    uint32_t bits() const { return bits_of(element); }
    /// Elements in a register; a word of b1 is one.
    uint32_t each() const { return bits() == 1 || bits() == 64 ? 1 : 32 / bits(); }
    uint32_t bytes() const { return bits() == 64 ? 8 : 4; } ///< of a register
    uint32_t depth() const { return bits() == 1 ? shape.k / 32 : shape.k; }
    uint32_t lines() const { return part == Matrix::b ? shape.n : shape.m; }
    /// f16 multiplicands have eight registers for whatever they hold.
    uint32_t count() const {
        if (part == Matrix::accumulator)
            return shape.m * shape.n / 32 / each();
        return element == Element::f16 ? 8 : lines() * depth() / 32 / each();
    }
    /// A multiplicand's line (row of A, column of B) and k of element `i` of a register.
    RowAndColumn line_and_k(uint32_t lane, uint32_t reg, uint32_t i) const {
        const bool two_groups = depth() == 8 * each(); // along k
        uint32_t line = reg, group = 0;
        if (two_groups && lines() == 8) {
            line = 0;
            group = reg & 1;
        } else if (two_groups && lines() == 16 && part == Matrix::b) {
            line = reg >> 1 & 1;
            group = reg & 1;
        } else if (two_groups) {
            line = (reg & 1) + (lines() == 32 ? reg >> 2 << 1 : 0);
            group = reg >> 1 & 1;
        }
        return {lane / 4 + 8 * line, lane % 4 * each() + i + 4 * each() * group};
    }
    RowAndColumn row_and_column(uint32_t lane, uint32_t reg, uint32_t i) const {
        if (part != Matrix::accumulator) {
            const RowAndColumn at = line_and_k(lane, reg, i);
            return part == Matrix::a ? at : RowAndColumn{at.column, at.row};
        }
        const uint32_t e = reg * each() + i, line = lane / 4 + 8 * (e >> 1), other = lane % 4 * 2 + (e & 1);
        return shape.m == 32                   ? RowAndColumn{line, other}
               : shape.m == 8 && shape.n == 32 ? RowAndColumn{other, line}
                                               : of_accumulator(lane, e);
    }
};

struct Access {
    Fragment fragment;
    bool by_row = true;
    OperandRef stride; ///< in elements; does not exist: the matrix is dense
};

/// The place of the lanes' element `i` of a register, in bits behind the address.
void offsets(const Access& access, uint32_t stride, uint32_t reg, uint32_t i, uint64_t out[32]) {
    const Fragment& f = access.fragment;
    const uint32_t unit = f.bits() == 1 ? 32 : 1; // columns of an element
    for (uint32_t lane = 0; lane < 32; ++lane) {
        const RowAndColumn at = f.row_and_column(lane, reg, i);
        const bool transposed = f.part == Matrix::b;
        const uint64_t row = at.row * (transposed ? unit : 1), column = at.column * (transposed ? 1 : unit);
        out[lane] = (access.by_row ? row * stride + column : column * stride + row) * f.bits();
    }
}

/// Calls move(lane, i, bytes in memory) for the elements of all registers, several at once where they are contiguous.
template <Direction direction, class Move>
Flow move_all(Exec& x, const Op& op, Move&& move) {
    const auto& access = *static_cast<const Access*>(op.extra);
    const Fragment& f = access.fragment;
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    const uint32_t dense = f.part == Matrix::a   ? (access.by_row ? f.shape.k : f.shape.m)
                           : f.part == Matrix::b ? (access.by_row ? f.shape.n : f.shape.k)
                                                 : (access.by_row ? f.shape.n : f.shape.m);
    const uint32_t stride = access.stride.exists() ? x.lanes<uint32_t>(access.stride)[0] : dense;
    uint64_t base[32], address[32], offset[32];
    x.addresses(op.address, base);
    AddressRef ref{OperandRef::in(OperandRef::constants, 0), true, 0, op.address.space};
    const bool together = (f.part == Matrix::a && access.by_row) || (f.part == Matrix::b && !access.by_row) ||
                          f.bits() >= 32 || f.bits() == 1;
    const uint32_t bytes = together ? f.bytes() : f.bits() / 8;
    for (uint32_t reg = 0; reg < f.registers.size(); ++reg)
        for (uint32_t i = 0; i < (together ? 1 : f.each()); ++i) {
            offsets(access, stride, reg, i, offset);
            for (uint32_t lane = 0; lane < 32; ++lane)
                address[lane] = base[lane] + offset[lane] / 8;
            std::byte* constants = std::exchange(x.base[OperandRef::constants], reinterpret_cast<std::byte*>(address));
            Resolved r;
            const bool good = resolve(x, op, ref, bytes, bytes, direction, r);
            x.base[OperandRef::constants] = constants;
            if (!good)
                return Flow::fault;
            std::byte stored[32 * 8];
            if (direction == Direction::store) {
                for (uint32_t lane = 0; lane < 32; ++lane)
                    move(f, reg, lane, i, stored + lane * bytes, bytes);
                observe(x, op, r, events::Access::Kind::store, Semantics::weak, Scope::cta, bytes, stored);
                for (uint32_t lane = 0; lane < 32; ++lane)
                    std::memcpy(r.pointer[lane], stored + lane * bytes, bytes);
                ++x.grid.activity;
            } else {
                for (uint32_t lane = 0; lane < 32; ++lane)
                    move(f, reg, lane, i, r.pointer[lane], bytes);
                observe(x, op, r, events::Access::Kind::load, Semantics::weak, Scope::cta, bytes);
            }
        }
    return Flow::next;
}

std::byte* in_register(Exec& x, const Fragment& f, uint32_t reg, uint32_t lane, uint32_t i) {
    return x.lanes<std::byte>(f.registers[reg]) + lane * f.bytes() + i * f.bits() / 8;
}

Flow load(Exec& x, const Op& op) {
    return move_all<Direction::load>(
        x, op,
        [&](const Fragment& f, uint32_t reg, uint32_t lane, uint32_t i, const std::byte* memory, uint32_t bytes) {
            std::memcpy(in_register(x, f, reg, lane, i), memory, bytes);
        });
}

Flow store(Exec& x, const Op& op) {
    return move_all<Direction::store>(
        x, op, [&](const Fragment& f, uint32_t reg, uint32_t lane, uint32_t i, std::byte* memory, uint32_t bytes) {
            std::memcpy(memory, in_register(x, f, reg, lane, i), bytes);
        });
}

// --- wmma.mma -------------------------------------------------------------------------------------------------------

struct Multiply {
    Fragment a, b, c, d;
    Bitwise bitwise = Bitwise::multiply;
    bool saturate = false;
};

struct Room {
    Multiplicand a, b;
    uint32_t d[32 * 32];
};

void gather_multiplicand(Exec& x, const Fragment& f, uint32_t columns, Multiplicand& to) {
    const uint32_t bits = 32 / f.each(), mask = f.each() == 1 ? ~0u : (1u << bits) - 1;
    for (uint32_t reg = 0; reg < f.registers.size(); ++reg)
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t i = 0; i < f.each(); ++i) {
                const RowAndColumn at = f.line_and_k(lane, reg, i);
                to.bits[columns ? at.column * columns + at.row : at.row * f.depth() + at.column] =
                    x.lanes<uint32_t>(f.registers[reg])[lane] >> (bits * i) & mask;
            }
    if (columns)
        to.decode(f.element, columns, f.depth(), Major::k);
    else
        to.decode(f.element, f.shape.m, f.depth(), Major::line);
}

template <class F>
void for_elements(Exec& x, const Fragment& f, F&& each) {
    for (uint32_t reg = 0; reg < f.registers.size(); ++reg)
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t i = 0; i < f.each(); ++i) {
                const RowAndColumn at = f.row_and_column(lane, reg, i);
                each(at.row * f.shape.n + at.column, in_register(x, f, reg, lane, i));
            }
}

Flow multiply(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Multiply*>(op.extra);
    static thread_local const auto room = std::make_unique<Room>(); // as in mma.cpp
    Room& r = *room;
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    gather_multiplicand(x, m.a, 0, r.a);
    gather_multiplicand(x, m.b, m.b.shape.n, r.b);
    const bool widened = m.c.element == Element::f16 && m.d.element == Element::f32;
    for_elements(x, m.c, [&](uint32_t at, const std::byte* from) {
        r.d[at] = 0;
        std::memcpy(&r.d[at], from, m.c.bits() / 8);
        if (widened)
            r.d[at] = std::bit_cast<uint32_t>(from_binary16(uint16_t(r.d[at])));
        else if (m.c.element == Element::f32 && m.d.element == Element::f16)
            r.d[at] = to_binary16(std::bit_cast<float>(r.d[at]));
    });
    const Size size{m.d.shape.m, m.d.shape.n, m.a.depth()};
    if (is_floating(m.a.element))
        multiply_floats(m.d.element, {16, 25}, size, r.a, r.b, r.d);
    else
        multiply_integers(m.bitwise, m.saturate, size, r.a, r.b, r.d);
    for_elements(x, m.d, [&](uint32_t at, std::byte* to) { std::memcpy(to, &r.d[at], m.d.bits() / 8); });
    return Flow::next;
}

Flow multiply_doubles(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Multiply*>(op.extra);
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    double a[8][4], b[4][8], d[8][8];
    for (uint32_t lane = 0; lane < 32; ++lane) {
        a[lane / 4][lane % 4] = x.lanes<double>(m.a.registers[0])[lane];
        b[lane % 4][lane / 4] = x.lanes<double>(m.b.registers[0])[lane];
        for (uint32_t i = 0; i < 2; ++i)
            d[lane / 4][lane % 4 * 2 + i] = x.lanes<double>(m.c.registers[i])[lane];
    }
    for (uint32_t row = 0; row < 8; ++row)
        for (uint32_t column = 0; column < 8; ++column)
            for (uint32_t k = 0; k < 4; ++k)
                d[row][column] = multiply_add(a[row][k], b[k][column], d[row][column]);
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t i = 0; i < 2; ++i)
            x.lanes<double>(m.d.registers[i])[lane] = d[lane / 4][lane % 4 * 2 + i];
    return Flow::next;
}

// --- decoding -------------------------------------------------------------------------------------------------------

/// Do the type and the shape go together?
void check(Decoder& d, const Shape& shape, Element element, Matrix part) {
    const bool large = shape.k == 16, narrow = shape.k == 8, doubles = shape.k == 4;
    const bool nibbles = shape.k == 32, single_bits = shape.k == 128;
    const auto in = [&](std::initializer_list<Element> list) { return std::ranges::find(list, element) != list.end(); };
    using enum Element;
    const bool good = part == Matrix::accumulator ? (doubles  ? element == f64
                                                     : narrow ? element == f32
                                                     : large  ? in({f16, f32, s32})
                                                              : element == s32)
                      : doubles                   ? element == f64
                      : narrow                    ? element == tf32
                      : large                     ? in({f16, bf16, u8, s8})
                      : nibbles                   ? in({u4, s4})
                                                  : single_bits && element == b1;
    if (!good)
        d.fail(fmt::format("{}: there is no wmma of this shape with this type", d.source.opcode));
}

Fragment fragment(Decoder& d, Matrix part, Element element) {
    Fragment f;
    f.part = part;
    f.element = element;
    f.shape = shape_of(d.value(".shape"));
    check(d, f.shape, element, part);
    return f;
}

Handler decode_load(Decoder& d) {
    const std::string_view which = d.value(".part");
    Access access;
    access.fragment = fragment(d,
                               which == ".a"   ? Matrix::a
                               : which == ".b" ? Matrix::b
                                               : Matrix::accumulator,
                               element_named(d.value(".type")));
    access.fragment.registers = registers_written(d, 0, access.fragment.count(), access.fragment.bytes());
    access.by_row = d.value(".layout") == ".row";
    if (d.operand_count() > 2)
        access.stride = d.read(2, 4);
    d.op.address = d.address(1, d.space(".ss"));
    d.op.extra = d.keep(access);
    return load;
}

Handler decode_store(Decoder& d) {
    Access access;
    access.fragment = fragment(d, Matrix::accumulator, element_named(d.value(".type")));
    access.fragment.registers = registers_read(d, 1, access.fragment.count(), access.fragment.bytes());
    access.by_row = d.value(".layout") == ".row";
    if (d.operand_count() > 2)
        access.stride = d.read(2, 4);
    d.op.address = d.address(0, d.space(".ss"));
    d.op.extra = d.keep(access);
    return store;
}

Handler decode_multiply(Decoder& d) {
    const bool named = d.has(".atype");
    const auto input = [&](std::string_view slot) { return named ? element_named(d.value(slot)) : Element::f16; };
    Multiply m;
    m.a = fragment(d, Matrix::a, input(".atype"));
    m.b = fragment(d, Matrix::b, input(".btype"));
    m.c = fragment(d, Matrix::accumulator, element_named(d.value(".ctype")));
    m.d = fragment(d, Matrix::accumulator, element_named(d.value(".dtype")));
    m.d.registers = registers_written(d, 0, m.d.count(), m.d.bytes());
    m.a.registers = registers_read(d, 1, m.a.count(), m.a.bytes());
    m.b.registers = registers_read(d, 2, m.b.count(), m.b.bytes());
    m.c.registers = registers_read(d, 3, m.c.count(), m.c.bytes());
    m.saturate = d.has(".satfinite");
    m.bitwise = d.value(".bitop") == ".xor"   ? Bitwise::exclusive_or
                : d.value(".bitop") == ".and" ? Bitwise::conjunction
                                              : Bitwise::multiply;
    if (m.a.element == Element::f64 && d.has(".rnd") && d.value(".rnd") != ".rn")
        d.fail(fmt::format("{}: only rounding to nearest is executed", d.source.opcode));
    const bool doubles = m.a.element == Element::f64;
    d.op.extra = d.keep(std::move(m));
    return doubles ? multiply_doubles : multiply;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "wmma.load",
        .syntax = R"(
        wmma.load.part.sync.aligned.layout.shape{.ss}.type r, [p]{, stride};
        .part = { .a, .b, .c };
        .layout = { .row, .col };
        .shape = { .m16n16k16, .m8n32k16, .m32n8k16, .m16n16k8, .m8n8k4, .m8n8k32, .m8n8k128 };
        .ss = { .global, .shared{::cta} };
        .type = { .f16, .bf16, .tf32, .f32, .f64, .u8, .s8, .u4, .s4, .b1, .s32 };
)",
        .isa = 60,
        .sm = 70,
        .manual = "warp-level-matrix-instructions-wmma-ld",
        .decode = decode_load,
        .use = Use::sink,
        .effects = {{"", effect::loads | effect::whole_warp}},
    },
    {
        .name = "wmma.store",
        .syntax = R"(
        wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
        .layout = { .row, .col };
        .shape = { .m16n16k16, .m8n32k16, .m32n8k16, .m16n16k8, .m8n8k4, .m8n8k32, .m8n8k128 };
        .ss = { .global, .shared{::cta} };
        .type = { .f16, .f32, .f64, .s32 };
)",
        .isa = 60,
        .sm = 70,
        .manual = "warp-level-matrix-instructions-wmma-st",
        .decode = decode_store,
        .use = Use::sink,
        .effects = {{"", effect::stores | effect::whole_warp}},
    },
    {
        .name = "wmma.mma",
        .syntax = R"(
        wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.dtype.atype.btype.ctype{.satfinite} d, a, b, c;
        wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype{.satfinite} d, a, b, c;
        wmma.mma.bitop.popc.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype d, a, b, c;
        .alayout = { .row, .col };
        .blayout = { .row, .col };
        .shape = { .m16n16k16, .m8n32k16, .m32n8k16, .m16n16k8, .m8n8k4, .m8n8k32, .m8n8k128 };
        .rnd = { .rn, .rz, .rm, .rp };
        .dtype = { .f16, .f32, .f64, .s32 };
        .atype = { .bf16, .tf32, .f64, .u8, .s8, .u4, .s4, .b1 };
        .btype = { .bf16, .tf32, .f64, .u8, .s8, .u4, .s4, .b1 };
        .ctype = { .f16, .f32, .f64, .s32 };
        .bitop = { .xor, .and };
)",
        .isa = 60,
        .sm = 70,
        .manual = "warp-level-matrix-instructions-wmma-mma",
        .decode = decode_multiply,
        .use = Use::sink,
    },
};

} // namespace sim::instructions::wmma
