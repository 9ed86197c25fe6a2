// wgmma: D = A * B + D by the four warps of a warpgroup, with B, and mostly A, in shared memory. The result is
// available at once; wgmma_registers.cpp and the hazard detector check that no thread touches it, or the operands,
// before wgmma.wait_group.
#include "sim/instructions/wgmma.h"

#include <memory>

#include <fmt/format.h>

#include "sim/async/engine.h"
#include "sim/instructions/matrix_descriptor.h"
#include "sim/instructions/tensor_fragments.h"

namespace sim::instructions::wgmma {
namespace {

using namespace tensor;
using async::Warpgroup;

struct Room {
    Multiplicand a, b;
    uint32_t d[most_rows * most_columns];
};

// On the heap, made at its first use: thread-local storage is cleared whenever a program or a thread starts.
Room& room() {
    static thread_local const auto one = std::make_unique<Room>();
    return *one;
}

Flow incomplete(Exec& x, const Op& op, std::string what) {
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, events::WarpgroupIncomplete{what});
    return x.fail(Fault::illegal_instruction, std::move(what));
}

/// Have all warps of the group come to this instruction? Otherwise this one waits, or (`forced`) they never will.
bool whole_group(Exec& x, const Op& op, Warpgroup& group, bool forced, Flow& flow) {
    const uint32_t number = x.warp.id % Warpgroup::size, first = x.warp.id - number;
    if (x.block.warps.size() < first + Warpgroup::size) {
        flow =
            incomplete(x, op,
                       fmt::format("wgmma.mma_async needs the four warps of a warpgroup; the block ends with warp {}",
                                   x.block.warps.size() - 1));
        return false;
    }
    group.arrived[number] = {{x.base[0], x.base[1], x.base[2], x.base[3]}, &op};
    group.here |= 1u << number;
    std::string others;
    for (uint32_t i = 0; i < Warpgroup::size; ++i)
        if (!(group.here >> i & 1))
            others += fmt::format("{}{}", others.empty() ? "" : ", ", first + i);
    if (!others.empty() && forced) {
        flow =
            incomplete(x, op,
                       fmt::format("warp {} waits at a wgmma.mma_async that warp{} {} of its warpgroup will not reach",
                                   x.warp.id, others.find(',') == std::string::npos ? "" : "s", others));
        return false;
    }
    if (!others.empty()) {
        x.fragment().wait.kind = Wait::Kind::collective;
        x.fragment().wait.member = all_lanes;
        flow = Flow::block;
        return false;
    }
    for (const auto& arrived : group.arrived)
        if (arrived.op != &op) {
            flow = incomplete(x, op, "the warps of a warpgroup have come to different wgmma.mma_async instructions");
            return false;
        }
    return true;
}

void release_group(Exec& x, const Op& op, Warpgroup& group) {
    const uint32_t number = x.warp.id % Warpgroup::size, first = x.warp.id - number;
    group.here = 0;
    group.through = 15u & ~(1u << number);
    for (uint32_t i = 0; i < Warpgroup::size; ++i)
        for (auto& fragment : x.block.warps[first + i]->fragments)
            if (fragment.wait.kind == Wait::Kind::collective && &fragment.frame->function->ops[fragment.pc] == &op)
                fragment.wait = {};
    ++x.grid.activity;
}

/// Runs f(i) with x's registers those of each warp of the group in turn.
template <class F>
void for_warps(Exec& x, Warpgroup& group, F&& f) {
    std::byte* mine[4];
    std::copy_n(x.base, 4, mine);
    for (uint32_t i = 0; i < Warpgroup::size; ++i) {
        std::copy_n(group.arrived[i].base, 4, x.base);
        f(i);
    }
    std::copy_n(mine, 4, x.base);
}

/// Reads a matrix of `lines` lines by its descriptor; `columns`: 0 for A, else the columns of B.
bool load(Exec& x, const Op& op, const Multiply& m, uint64_t bits, bool transposed, Element element, bool negate,
          uint32_t lines, uint32_t columns, Multiplicand& to, events::MatrixOperand& read) {
    const MatrixDescriptor descriptor(bits);
    read.swizzle = descriptor.span == 16 ? 0 : descriptor.span;
    read.base_offset = descriptor.base_offset;
    read.base_period = descriptor.period();
    const uint32_t bytes = element == Element::b1 ? 4 : bits_of(element) / 8;
    const uint32_t outer = transposed ? m.depth : lines, inner = transposed ? lines * 2 : 32;
    for (uint32_t o = 0; o < outer; ++o)
        for (uint32_t chunk = 0; chunk < inner; chunk += 16) {
            const uint32_t at = transposed ? descriptor.mn_major(chunk, o) : descriptor.k_major(o, chunk);
            if (at + 16 > x.block.shared.size()) {
                const std::string what =
                    fmt::format("the descriptor of {} reaches shared address {}; the block has {} bytes. {}", read.name,
                                at, x.block.shared.size(), descriptor.text());
                if (x.listener)
                    x.listener->misuse(&x.warp, x.mask, &op,
                                       events::Stopped{events::Stopped::Why::out_of_bounds, what});
                x.fail(Fault::illegal_address, what);
                return false;
            }
            if (!read.bytes.empty() && read.bytes.back().offset + read.bytes.back().bytes == at)
                read.bytes.back().bytes += 16;
            else
                read.bytes.push_back({.offset = at, .bytes = 16});
            const uint32_t line = transposed ? chunk / 2 : o, k = transposed ? o : chunk / bytes;
            const uint32_t next_line = columns ? 1 : m.depth, next_k = columns ? columns : 1;
            to.put(x.block.shared.data() + at, bytes, line * next_line + k * next_k, transposed ? next_line : next_k);
        }
    to.decode(element, lines, m.depth, columns ? Major::k : Major::line, negate);
    return true;
}

void load_fragments(Exec& x, const Multiply& m, Warpgroup& group, Multiplicand& to) {
    const uint32_t bits = 32 / m.each, mask = m.each == 1 ? ~0u : (1u << bits) - 1;
    for_warps(x, group, [&](uint32_t warp) {
        for (uint32_t reg = 0; reg < m.as.size(); ++reg)
            for (uint32_t lane = 0; lane < 32; ++lane)
                for (uint32_t i = 0; i < m.each; ++i) {
                    const RowAndColumn at = of_a(lane, reg, i, m.each);
                    const uint32_t row = 16 * warp + at.row;
                    to.bits[row * m.depth + at.column] = x.lanes<uint32_t>(m.as[reg])[lane] >> (bits * i) & mask;
                }
    });
    to.decode(m.a, 64, m.depth, Major::line, m.negate_a);
}

void compute(const Multiply& m, Room& r) {
    const Size size{64, m.shape.n, m.depth};
    if (!is_floating(m.a)) {
        multiply_integers(m.a == Element::b1 ? Bitwise::conjunction : Bitwise::multiply, m.saturate, size, r.a, r.b,
                          r.d);
        return;
    }
    const bool eight_bits = bits_of(m.a) == 8; // these sums have fewer bits
    multiply_floats(m.d, eight_bits ? Summation{32, 13, 14} : Summation{16, 25}, size, r.a, r.b, r.d);
}

/// Do all warps pass the same descriptor?
bool same_descriptor(Exec& x, const Op& op, Warpgroup& group, OperandRef descriptor, char name) {
    uint64_t first = 0;
    bool same = true;
    for_warps(x, group, [&](uint32_t warp) {
        const uint64_t bits = x.lanes<uint64_t>(descriptor)[0];
        first = warp ? first : bits;
        same = same && bits == first;
    });
    if (!same && x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, events::DescriptorsDiffer{name});
    return same;
}

Flow multiply(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Multiply*>(op.extra);
    const bool forced = x.fragment().wait.forced;
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    Warpgroup& group = async::Engine::of(x.block).warpgroups().of_warp(x.warp.id);
    const uint32_t bit = 1u << x.warp.id % Warpgroup::size;
    if (group.through & bit) {
        group.through &= ~bit;
        return Flow::next;
    }
    if (!whole_group(x, op, group, forced, flow))
        return flow;
    Room& r = room();
    std::vector<events::MatrixOperand> read(m.as.empty() ? 2 : 1);
    read.back().name = 'B';
    const auto bits = [&](OperandRef descriptor) { return x.lanes<uint64_t>(descriptor)[0]; };
    same_descriptor(x, op, group, m.b_descriptor, 'B');
    if (!load(x, op, m, bits(m.b_descriptor), m.transpose_b, m.b, m.negate_b, m.shape.n, m.shape.n, r.b, read.back()))
        return Flow::fault;
    if (!m.as.empty()) {
        load_fragments(x, m, group, r.a);
    } else {
        same_descriptor(x, op, group, m.a_descriptor, 'A');
        if (!load(x, op, m, bits(m.a_descriptor), m.transpose_a, m.a, m.negate_a, 64, 0, r.a, read[0]))
            return Flow::fault;
    }
    const bool halves = m.d == Element::f16;
    for_warps(x, group, [&](uint32_t warp) {
        uint32_t* rows = r.d + 16 * warp * m.shape.n;
        if (x.predicate(m.scale_d, m.scale_d_flip) & 1)
            load_accumulators(x, m.ds, halves, m.shape.n, rows);
        else
            std::fill_n(rows, 16 * m.shape.n, 0);
    });
    compute(m, r);
    for_warps(x, group,
              [&](uint32_t warp) { store_accumulators(x, m.ds, halves, m.shape.n, r.d + 16 * warp * m.shape.n); });
    const uint32_t first = x.warp.id & ~(Warpgroup::size - 1);
    if (x.grid.log)
        x.grid.log->warpgroup(*x.block.warps[first], x.pc());
    if (x.listener) {
        watch_registers(x);
        for (uint32_t i = 0; i < Warpgroup::size; ++i)
            issue_registers(x, *x.block.warps[first + i], group.warps[i], op);
        const uint64_t number = x.grid.next.bulk++;
        x.listener->matrix_issue(
            x, {.number = number, .first_warp = first, .index = group.warps[0].issued, .operands = read});
    }
    release_group(x, op, group);
    return Flow::next;
}

async::WarpMatrices& matrices_of(Exec& x) {
    return async::Engine::of(x.block).warpgroups().of_warp(x.warp.id).warps[x.warp.id % Warpgroup::size];
}

Flow fence(Exec& x, const Op& op) {
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    matrices_of(x).fenced = matrices_of(x).ever_fenced = true;
    return Flow::next;
}

Flow commit(Exec& x, const Op& op) {
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    matrices_of(x).commit();
    return Flow::next;
}

Flow wait(Exec& x, const Op& op) {
    Flow flow;
    if (!whole_warp(x, op, flow))
        return flow;
    auto& matrices = matrices_of(x);
    matrices.wait(op.small);
    auto& most = x.grid.statistics.max_matrix_groups;
    most = std::max(most, matrices.pending());
    if (x.listener)
        x.listener->matrix_wait(x, {.first_warp = x.warp.id & ~(Warpgroup::size - 1),
                                    .done = matrices.done,
                                    .n = op.small,
                                    .issued = matrices.issued,
                                    .committed = matrices.committed});
    return Flow::next;
}

/// Operand `i` as 1 or -1: is it -1?
bool negative(Decoder& d, size_t i) {
    const auto value = int32_t(d.immediate(i));
    if (value != 1 && value != -1)
        d.fail(fmt::format("{}: operand {} must be 1 or -1", d.source.opcode, i + 1));
    return value < 0;
}

bool one(Decoder& d, size_t i) {
    const uint64_t value = d.immediate(i);
    if (value > 1)
        d.fail(fmt::format("{}: operand {} must be 0 or 1", d.source.opcode, i + 1));
    return value == 1;
}

void check_types(Decoder& d, const Multiply& m) {
    const bool fp8 = is_floating(m.a) && bits_of(m.a) == 8, integer = !is_floating(m.a);
    const uint32_t k = m.a == Element::b1 ? 256 : 256 / bits_of(m.a);
    const auto family = [](Element e) {
        return e == Element::e5m2 ? Element::e4m3 : e == Element::u8 ? Element::s8 : e;
    };
    const bool results =
        integer ? m.d == Element::s32 : m.d == Element::f32 || (m.d == Element::f16 && (fp8 || m.a == Element::f16));
    const bool columns = !integer || m.shape.n <= 32 ? m.shape.n % 8 == 0 : m.shape.n % 16 == 0;
    if (m.shape.k != k || family(m.a) != family(m.b) || !results || !columns)
        d.fail(fmt::format("{}: there is no wgmma of this shape with these types", d.source.opcode));
}

void decode_scales(Decoder& d, Multiply& m) {
    const size_t count = d.operand_count(), sixteen_bits = bits_of(m.a) == 16;
    const size_t needed = !is_floating(m.a) ? 4 : !sixteen_bits ? 6 : m.as.empty() ? 8 : 7;
    if (count != needed)
        d.fail(fmt::format("{} with {} operands where {} are needed", d.source.opcode, count, needed));
    if (count > 4) {
        m.negate_a = negative(d, 4);
        m.negate_b = negative(d, 5);
    }
    if (count == 8)
        m.transpose_a = one(d, 6);
    if (count > 6)
        m.transpose_b = one(d, count - 1);
}

Handler decode_multiply(Decoder& d) {
    Multiply m;
    m.a = element_named(d.value(".atype"));
    m.b = element_named(d.value(".btype"));
    m.d = element_named(d.value(".dtype"));
    m.shape = shape_of(d.value(".shape"));
    m.saturate = d.has(".satfinite");
    check_types(d, m);
    m.each = m.a == Element::b1 ? 1 : 32 / bits_of(m.a);
    m.depth = m.a == Element::b1 ? 8 : m.shape.k;
    const uint32_t count = m.shape.n / (m.d == Element::f16 ? 4 : 2);
    m.ds = registers_written(d, 0, count, 4);
    registers_read(d, 0, count, 4);
    if (d.operand(1).kind == ptx::Operand::Kind::vector)
        m.as = registers_read(d, 1, 4, 4);
    else
        m.a_descriptor = d.read(1, 8);
    m.b_descriptor = d.read(2, 8);
    m.scale_d = d.predicate(3, m.scale_d_flip);
    decode_scales(d, m);
    d.op.extra = d.keep(m);
    return multiply;
}

Handler decode_wait(Decoder& d) {
    d.op.small = uint32_t(d.immediate(0));
    return wait;
}

template <Handler handler>
Handler decode_plain(Decoder&) {
    return handler;
}

/// m64n8k8 … m64n256k256.
const std::string& multiply_syntax() {
    static const std::string text = [] {
        std::string shapes;
        for (int k : {8, 16, 32, 256})
            for (int n = 8; n <= 256; n += 8)
                shapes += fmt::format("{}.m64n{}k{}", shapes.empty() ? "" : ", ", n, k);
        return fmt::format(R"(
        wgmma.mma_async.sync.aligned.shape{{.satfinite}}.dtype.atype.btype d, a, b, p{{, sa, sb, ta, tb}};
        wgmma.mma_async.sync.aligned.shape.dtype.atype.btype.and.popc d, a, b, p;
        .shape = {{ {} }};
        .dtype = {{ .f16, .f32, .s32 }};
        .atype = {{ .f16, .bf16, .tf32, .e4m3, .e5m2, .u8, .s8, .b1 }};
        .btype = {{ .f16, .bf16, .tf32, .e4m3, .e5m2, .u8, .s8, .b1 }};
)",
                           shapes);
    }();
    return text;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "wgmma.mma_async",
        .syntax = multiply_syntax(),
        .isa = 80,
        .sm = 90,
        .manual = "asynchronous-warpgroup-level-matrix-instructions-wgmma-mma",
        .decode = decode_multiply,
        .use = Use::sink,
        .effects = {{"", effect::multiplies | effect::matrix_group}},
    },
    {
        .name = "wgmma.fence",
        .syntax = "wgmma.fence.sync.aligned;",
        .isa = 80,
        .sm = 90,
        .manual = "asynchronous-warpgroup-level-matrix-instructions-wgmma-fence",
        .decode = decode_plain<fence>,
        .effects = {{"", effect::fence | effect::matrix_group}},
    },
    {
        .name = "wgmma.commit_group",
        .syntax = "wgmma.commit_group.sync.aligned;",
        .isa = 80,
        .sm = 90,
        .manual = "asynchronous-warpgroup-level-matrix-instructions-wgmma-commit-group",
        .decode = decode_plain<commit>,
        .effects = {{"", effect::matrix_group | effect::commits}},
    },
    {
        .name = "wgmma.wait_group",
        .syntax = "wgmma.wait_group.sync.aligned n;",
        .isa = 80,
        .sm = 90,
        .manual = "asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group",
        .decode = decode_wait,
        .effects = {{"", effect::matrix_group | effect::waits_for_group}},
    },
};

} // namespace sim::instructions::wgmma
