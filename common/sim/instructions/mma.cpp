// mma.sync: D = A * B + C with all four in the registers of a warp.
#include <memory>

#include <fmt/format.h>

#include "sim/instructions/binary16.h"
#include "sim/instructions/floating.h"
#include "sim/instructions/tensor_fragments.h"
#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::mma {
namespace {

using namespace tensor;

struct Multiply {
    Element a, b, c, d;
    Shape shape;
    Registers as, bs, cs, ds;
    Bitwise bitwise = Bitwise::multiply;
    bool saturate = false;
    bool a_by_column = false, b_by_row = false; ///< m8n8k4 of f16
    uint32_t each = 1;                          ///< elements of a multiplicand in a register; a word of b1 is one
    uint32_t depth = 1;                         ///< k in those elements
    std::vector<uint16_t> place_a, place_b;     ///< of each register, lane and element of it, in a Multiplicand
};

// sm_90 multiplies fp8 in two halves of k, converted to .f16: bytes 0 and 1 of all registers, then bytes 2 and 3. The
// halves are summed without C, which is added at the end.
bool in_halves(const Multiply& m) {
    return m.a == Element::e4m3 || m.a == Element::e5m2;
}

uint32_t halved(uint32_t k, uint32_t depth) {
    const uint32_t thread = k % 16 / 4, byte = k % 4;
    return byte / 2 * (depth / 2) + thread * (depth / 8) + k / 16 * 2 + byte % 2;
}

struct Room {
    Multiplicand a, b;
    uint32_t d[64 * 8];
};

// On the heap, made at its first use: thread-local storage is cleared whenever a program or a thread starts.
Room& room() {
    static thread_local const auto one = std::make_unique<Room>();
    return *one;
}

/// Where the elements of the registers go, as `place(lane, register, element)` says.
template <class F>
std::vector<uint16_t> places(const Multiply& m, size_t registers, F&& place) {
    std::vector<uint16_t> result;
    for (uint32_t reg = 0; reg < registers; ++reg)
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t i = 0; i < m.each; ++i)
                result.push_back(uint16_t(place(lane, reg, i)));
    return result;
}

void find_places(Multiply& m) {
    const bool halves = in_halves(m), one_group = m.shape.m == 8;
    const auto k_of = [&](uint32_t k) { return halves ? halved(k, m.depth) : k; };
    m.place_a = places(m, m.as.size(), [&](uint32_t lane, uint32_t reg, uint32_t i) {
        const RowAndColumn at = of_a(lane, one_group ? 2 * reg : reg, i, m.each);
        return at.row * m.depth + k_of(at.column);
    });
    m.place_b = places(m, m.bs.size(), [&](uint32_t lane, uint32_t reg, uint32_t i) {
        const RowAndColumn at = of_b(lane, reg, i, m.each);
        return k_of(at.row) * 8 + at.column;
    });
}

void load_multiplicand(Exec& x, const Registers& registers, const std::vector<uint16_t>& places, uint32_t each,
                       Multiplicand& to) {
    const uint32_t bits = 32 / each, mask = each == 1 ? ~0u : (1u << bits) - 1;
    const uint16_t* place = places.data();
    for (const OperandRef& reg : registers)
        for (const uint32_t value : std::span(x.lanes<uint32_t>(reg), 32))
            for (uint32_t i = 0; i < each; ++i)
                to.bits[*place++] = value >> (bits * i) & mask;
}

Flow multiply(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Multiply*>(op.extra);
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    Room& r = room();
    load_multiplicand(x, m.as, m.place_a, m.each, r.a);
    load_multiplicand(x, m.bs, m.place_b, m.each, r.b);
    r.a.decode(m.a, m.shape.m, m.depth, Major::line);
    r.b.decode(m.b, 8, m.depth, Major::k);
    const Size size{m.shape.m, 8, m.depth};
    const bool c16 = m.c == Element::f16, d16 = m.d == Element::f16;
    load_accumulators(x, m.cs, c16, 8, r.d);
    if (!is_floating(m.a)) {
        multiply_integers(m.bitwise, m.saturate, size, r.a, r.b, r.d);
    } else if (in_halves(m)) {
        uint32_t sums[16 * 8] = {};
        multiply_floats(m.d, {m.depth / 2, 25}, size, r.a, r.b, sums);
        for (uint32_t i = 0; i < size.rows * 8; ++i)
            r.d[i] = add(m.d, r.d[i], sums[i]);
    } else {
        multiply_floats(m.d, {16, 25}, size, r.a, r.b, r.d);
    }
    store_accumulators(x, m.ds, d16, 8, r.d);
    return Flow::next;
}

/// An 8 x 8 product of .f32 as sm_90 makes it: a chain of fused multiply-adds, and C at the end.
void chain(Room& r) {
    for (uint32_t row = 0; row < 8; ++row)
        for (uint32_t column = 0; column < 8; ++column) {
            float sum = 0;
            for (uint32_t k = 0; k < 4; ++k)
                sum = __builtin_fmaf(r.a.number[row * 4 + k], r.b.number[k * 8 + column], sum);
            r.d[row * 8 + column] = add(Element::f32, r.d[row * 8 + column], std::bit_cast<uint32_t>(sum));
        }
}

/// Four products of 8 x 4 and 4 x 8, each of eight lanes: 4q … 4q+3 and 16+4q … 16+4q+3.
Flow multiply_quads(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Multiply*>(op.extra);
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    Room& r = room();
    const bool c16 = m.c == Element::f16, d16 = m.d == Element::f16;
    uint32_t results[32][8];
    for (uint32_t quad = 0; quad < 4; ++quad) {
        for (uint32_t t = 0; t < 8; ++t) {
            const uint32_t lane = 4 * quad + t % 4 + t / 4 * 16, high = t / 4 * 4;
            const auto half = [&](const Registers& registers, uint32_t i) {
                return x.lanes<uint32_t>(registers[i / 2])[lane] >> (16 * (i & 1)) & 0xffff;
            };
            for (uint32_t i = 0; i < 4; ++i) {
                const uint32_t row = m.a_by_column ? i + high : t % 4 + high, k = m.a_by_column ? t % 4 : i;
                r.a.bits[row * 4 + k] = half(m.as, i);
                const uint32_t column = m.b_by_row ? i + high : t % 4 + high, bk = m.b_by_row ? t % 4 : i;
                r.b.bits[bk * 8 + column] = half(m.bs, i);
            }
        }
        r.a.decode(Element::f16, 8, 4, Major::line);
        r.b.decode(Element::f16, 8, 4, Major::k);
        const auto place = [](bool halves, uint32_t t, uint32_t i) {
            return halves ? (t % 4 + t / 4 * 4) * 8 + i
                          : ((t & 1) + (i & 2) + t / 4 * 4) * 8 + (i & 4) + (t & 2) + (i & 1);
        };
        for (uint32_t t = 0; t < 8; ++t)
            for (uint32_t i = 0; i < 8; ++i) {
                const uint32_t lane = 4 * quad + t % 4 + t / 4 * 16;
                uint32_t value = x.lanes<uint32_t>(m.cs[c16 ? i / 2 : i])[lane];
                if (c16)
                    value = value >> (16 * (i & 1)) & 0xffff;
                if (c16 && !d16)
                    value = std::bit_cast<uint32_t>(from_binary16(uint16_t(value)));
                r.d[place(c16, t, i)] = value;
            }
        if (d16)
            multiply_floats(m.d, {4, 25}, {8, 8, 4}, r.a, r.b, r.d);
        else
            chain(r);
        for (uint32_t t = 0; t < 8; ++t)
            for (uint32_t i = 0; i < 8; ++i)
                results[4 * quad + t % 4 + t / 4 * 16][i] = r.d[place(d16, t, i)];
    }
    for (uint32_t i = 0; i < m.ds.size(); ++i)
        for (uint32_t lane = 0; lane < 32; ++lane)
            x.lanes<uint32_t>(m.ds[i])[lane] =
                d16 ? results[lane][2 * i] | results[lane][2 * i + 1] << 16 : results[lane][i];
    return Flow::next;
}

/// A chain of fused multiply-adds along k.
Flow multiply_doubles(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Multiply*>(op.extra);
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    double a[16][16], b[16][8], d[16][8];
    for (uint32_t lane = 0; lane < 32; ++lane) {
        for (uint32_t reg = 0; reg < m.as.size(); ++reg) {
            const RowAndColumn at = of_a(lane, m.shape.m == 8 ? 2 * reg : reg, 0, 1);
            a[at.row][at.column] = x.lanes<double>(m.as[reg])[lane];
        }
        for (uint32_t reg = 0; reg < m.bs.size(); ++reg) {
            const RowAndColumn at = of_b(lane, reg, 0, 1);
            b[at.row][at.column] = x.lanes<double>(m.bs[reg])[lane];
        }
        for (uint32_t i = 0; i < m.cs.size(); ++i) {
            const RowAndColumn at = of_accumulator(lane, i);
            d[at.row][at.column] = x.lanes<double>(m.cs[i])[lane];
        }
    }
    for (uint32_t row = 0; row < m.shape.m; ++row)
        for (uint32_t k = 0; k < m.shape.k; ++k)
            for (uint32_t column = 0; column < 8; ++column)
                d[row][column] = multiply_add(a[row][k], b[k][column], d[row][column]);
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t i = 0; i < m.ds.size(); ++i) {
            const RowAndColumn at = of_accumulator(lane, i);
            x.lanes<double>(m.ds[i])[lane] = d[at.row][at.column];
        }
    return Flow::next;
}

struct Allowed {
    std::string_view types, shapes;
};
constexpr Allowed allowed[] = {
    {".f16", ".m8n8k4 .m16n8k8 .m16n8k16 "},
    {".bf16", ".m16n8k8 .m16n8k16 "},
    {".tf32", ".m16n8k4 .m16n8k8 "},
    {".f64", ".m8n8k4 .m16n8k4 .m16n8k8 .m16n8k16 "},
    {".e4m3 .e5m2", ".m16n8k16 .m16n8k32 "},
    {".u8 .s8", ".m8n8k16 .m16n8k16 .m16n8k32 "},
    {".u4 .s4", ".m8n8k32 .m16n8k32 .m16n8k64 "},
    {".b1", ".m8n8k128 .m16n8k128 .m16n8k256 "},
};

/// Do the types and the shape go together?
bool exists(std::string_view shape, std::string_view a, std::string_view b, std::string_view c, std::string_view d) {
    for (const Allowed& row : allowed)
        if (row.types.find(a) != std::string_view::npos && row.types.find(b) != std::string_view::npos &&
            row.shapes.find(std::string(shape) + " ") != std::string_view::npos) {
            if (a == ".f64")
                return c == ".f64" && d == ".f64";
            if (a == ".bf16" || a == ".tf32")
                return c == ".f32" && d == ".f32";
            if (a == ".f16" || a == ".e4m3" || a == ".e5m2")
                return (c == ".f32" || c == ".f16") && (d == c || (shape == ".m8n8k4" && d == ".f32"));
            return c == ".s32" && d == ".s32";
        }
    return false;
}

Handler doubles(std::string_view rounding) {
    return rounding == ".rz"   ? rounded<FE_TOWARDZERO, multiply_doubles>
           : rounding == ".rm" ? rounded<FE_DOWNWARD, multiply_doubles>
           : rounding == ".rp" ? rounded<FE_UPWARD, multiply_doubles>
                               : multiply_doubles;
}

Handler decode(Decoder& d) {
    const std::string_view a = d.value(".atype"), b = d.value(".btype"), c = d.value(".ctype"), to = d.value(".dtype");
    if (!exists(d.value(".shape"), a, b, c, to))
        d.fail(fmt::format("{}: there is no mma of this shape with these types", d.source.opcode));
    Multiply m;
    m.a = element_named(a);
    m.b = element_named(b);
    m.c = element_named(c);
    m.d = element_named(to);
    m.shape = shape_of(d.value(".shape"));
    m.saturate = d.has(".satfinite");
    m.bitwise = d.value(".bitop") == ".xor"   ? Bitwise::exclusive_or
                : d.value(".bitop") == ".and" ? Bitwise::conjunction
                                              : Bitwise::multiply;
    const bool doubled = m.a == Element::f64, single_bits = m.a == Element::b1;
    const bool quads = m.shape.k == 4 && m.a == Element::f16;
    if ((d.value(".alayout") != ".row" || d.value(".blayout") != ".col") && !quads)
        d.fail(fmt::format("{}: only .m8n8k4 of .f16 has other layouts than .row.col", d.source.opcode));
    m.each = doubled || single_bits ? 1 : 32 / bits_of(m.a);
    m.depth = single_bits ? m.shape.k / 32 : m.shape.k;
    m.a_by_column = d.value(".alayout") == ".col";
    m.b_by_row = d.value(".blayout") == ".row";
    const uint32_t groups = m.depth / (4 * m.each), bytes = doubled ? 8 : 4;
    const auto accumulators = [&](Element e) {
        return quads ? (e == Element::f16 ? 4u : 8u) : m.shape.m / 4 / (e == Element::f16 ? 2 : 1);
    };
    m.ds = registers_written(d, 0, accumulators(m.d), bytes);
    m.as = registers_read(d, 1, quads ? 2 : m.shape.m / 8 * groups, bytes);
    m.bs = registers_read(d, 2, quads ? 2 : groups, bytes);
    m.cs = registers_read(d, 3, accumulators(m.c), bytes);
    if (!doubled && !quads)
        find_places(m);
    d.op.extra = d.keep(m);
    return doubled ? doubles(d.value(".rnd")) : quads ? multiply_quads : multiply;
}

} // namespace

INSTRUCTIONS = {{
    .name = "mma",
    .syntax = R"(
        mma.sync.aligned.shape.alayout.blayout{.satfinite}{.rnd}.dtype.atype.btype.ctype d, a, b, c;
        mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype.bitop.popc d, a, b, c;
        .shape = { .m8n8k4, .m8n8k16, .m8n8k32, .m8n8k128, .m16n8k4, .m16n8k8, .m16n8k16, .m16n8k32, .m16n8k64, .m16n8k128, .m16n8k256 };
        .alayout = { .row, .col };
        .blayout = { .row, .col };
        .rnd = { .rn, .rz, .rm, .rp };
        .dtype = { .f16, .f32, .f64, .s32 };
        .atype = { .f16, .bf16, .tf32, .f64, .e4m3, .e5m2, .u8, .s8, .u4, .s4, .b1 };
        .btype = { .f16, .bf16, .tf32, .f64, .e4m3, .e5m2, .u8, .s8, .u4, .s4, .b1 };
        .ctype = { .f16, .f32, .f64, .s32 };
        .bitop = { .xor, .and };
)",
    .isa = 64,
    .sm = 70,
    .manual = "warp-level-matrix-instructions-mma",
    .decode = decode,
    .use = Use::sink,
}};

} // namespace sim::instructions::mma
