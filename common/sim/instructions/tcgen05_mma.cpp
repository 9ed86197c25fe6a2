// tcgen05.mma: D = A * B + D in Tensor Memory, issued by one thread. The operands are read, and D is written, at some
// moment before the arrival of the commit that tracks the operation (async/tensor_operations.h).
#include "sim/instructions/tcgen05_issue.h"

#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::tcgen05_mma {
namespace {

using async::TensorMemory;
using tcgen05::Multiplication;
using tcgen05::Rectangle;

struct Operands {
    tcgen05::Variant variant;
    AddressRef d, a, scales_a, scales_b; ///< in Tensor Memory
    bool a_in_cells = false;
    OperandRef a_descriptor, b_descriptor, description;
    tensor::Registers disabled;
    OperandRef accumulate;
    uint32_t accumulate_flip = 0;
    uint32_t scale_d = 0;
    OperandRef zero_columns; ///< .ws: the descriptor of the mask
};

/// All that the listener hears of; the spans of events::TensorIssue point here.
struct Report {
    std::vector<events::TensorIssue::Shared> operands;
    std::vector<events::TensorCells> cells;
    /// False: there are no such cells, which is reported.
    bool add(Exec& x, const Op& op, Block& block, const Rectangle& r, bool written, char name, std::string_view text) {
        cells.push_back({.block = &block,
                         .lane = r.lane,
                         .lanes = r.rows,
                         .column = r.column,
                         .columns = r.columns,
                         .written = written,
                         .name = name});
        return check_cells(x, op, cells.back(), text);
    }
};

/// May D (or A) begin in this lane? Only products that use half of the lanes can choose.
bool starts_well(Exec& x, const Op& op, const Multiplication& m, TensorMemory::Address at, char name) {
    const bool half = m.product.m == 64 && m.variant.group == 1 && !m.variant.weight_stationary;
    if (at.lane == 0 || (half && at.lane == 16))
        return true;
    return tcgen05::refuse(
        x, op,
        fmt::format("The address of {} in Tensor Memory begins in lane {}, but {} must begin in lane "
                    "0{}.",
                    name, at.lane, half ? "with M = 64 it" : "it", half ? " or 16" : ""));
}

bool place_d(Exec& x, const Op& op, const Operands& o, int lane, Multiplication& m, Report& report) {
    const TensorMemory::Address at(tcgen05::address(x, o.d, lane));
    if (!starts_well(x, op, m, at, 'D'))
        return false;
    for (auto& part : m.parts) {
        part.d = tcgen05::rectangles(m.product, m.variant, at, m.product.n, false);
        for (const Rectangle& r : part.d) {
            if (!report.add(x, op, *part.block, r, true, 'D', "D"))
                return false;
            if (m.accumulate) { // the same cells are read, too
                report.cells.push_back(report.cells.back());
                report.cells.back().written = false;
            }
        }
    }
    return true;
}

bool place_a(Exec& x, const Op& op, const Operands& o, int lane, Multiplication& m, Report& report) {
    constexpr uint32_t columns = 8; // 32 bytes of each row
    const TensorMemory::Address at(tcgen05::address(x, o.a, lane));
    if (!starts_well(x, op, m, at, 'A'))
        return false;
    if (m.product.transpose_a)
        return tcgen05::refuse(x, op, "The instruction descriptor transposes A, but an A in Tensor Memory is K-major.");
    for (auto& part : m.parts) {
        part.a_cells = tcgen05::rectangles(m.product, m.variant, at, columns, true);
        for (const Rectangle& r : part.a_cells)
            if (!report.add(x, op, *part.block, r, false, 'A', "A"))
                return false;
    }
    return true;
}

bool place_scales(Exec& x, const Op& op, const Operands& o, int lane, Multiplication& m, Report& report) {
    const bool halves = m.parts.size() == 2 && m.product.m == 128;
    const uint32_t a = m.rows() / 32, b = ((halves ? m.product.n / 2 : m.product.n) + 31) / 32;
    m.scales_a = TensorMemory::Address(tcgen05::address(x, o.scales_a, lane)).column;
    m.scales_b = TensorMemory::Address(tcgen05::address(x, o.scales_b, lane)).column;
    bool good = true;
    for (auto& part : m.parts)
        good = good && report.add(x, op, *part.block, {0, 128, 0, 0, a, m.scales_a}, false, 'S', "scale-A") &&
               report.add(x, op, *part.block, {0, 128, 0, 0, b, m.scales_b}, false, 's', "scale-B");
    return good;
}

/// Finds A (or B) in the shared memory of each CTA, which has its lines of it.
bool find_matrix(Exec& x, const Op& op, Multiplication& m, uint64_t bits, char name, Report& report) {
    const bool of_a = name == 'A', transposed = of_a ? m.product.transpose_a : m.product.transpose_b;
    const tcgen05::Format format = of_a ? m.product.a : m.product.b;
    const std::string why = tcgen05::wrong(bits, transposed ? tcgen05::stored_bits(format, m.variant.kind) : 0);
    if (!why.empty())
        return tcgen05::refuse(x, op, fmt::format("The shared memory descriptor of {} is {:#x}: {}.", name, bits, why));
    const uint32_t lines = of_a ? m.rows() : m.product.n / uint32_t(m.parts.size());
    const uint32_t inner = tcgen05::pieces(transposed, lines, format, m.variant);
    for (auto& part : m.parts) {
        tcgen05::SharedMatrix& matrix = of_a ? part.a : part.b;
        matrix.block = part.block;
        report.operands.push_back({.block = part.block, .matrix = {}});
        events::MatrixOperand& read = report.operands.back().matrix;
        read.name = name;
        if (!tcgen05::find_pieces(x, op, *part.block, bits, transposed, transposed ? m.product.k : lines, inner,
                                  matrix.offsets, read))
            return false;
    }
    return true;
}

bool multiply_one(Exec& x, const Op& op, const Operands& o, int lane) {
    auto m = std::make_shared<Multiplication>();
    m->variant = o.variant;
    const std::string why = tcgen05::read(x.lanes<uint32_t>(o.description)[lane], o.variant, m->product);
    if (!why.empty())
        return tcgen05::refuse(x, op, why);
    for (Block* block : tcgen05::ctas(x, op, o.variant.group)) {
        m->parts.emplace_back();
        m->parts.back().block = block;
    }
    if (m->parts.empty())
        return false;
    m->accumulate = x.predicate(o.accumulate, o.accumulate_flip) >> lane & 1;
    m->scale_d = o.scale_d;
    for (size_t i = 0; i < o.disabled.size(); ++i)
        m->disabled[i] = x.lanes<uint32_t>(o.disabled[i])[lane];
    if (o.zero_columns.exists() && x.lanes<uint64_t>(o.zero_columns)[lane] >> 39 & 1)
        return x.fail(Fault::not_implemented, fmt::format("{} with a mask of zero columns is not part of the simulated "
                                                          "device",
                                                          op.source->opcode)) == Flow::next;
    Report report;
    if (!place_d(x, op, o, lane, *m, report) ||
        !(o.a_in_cells ? place_a(x, op, o, lane, *m, report)
                       : find_matrix(x, op, *m, x.lanes<uint64_t>(o.a_descriptor)[lane], 'A', report)) ||
        !find_matrix(x, op, *m, x.lanes<uint64_t>(o.b_descriptor)[lane], 'B', report) ||
        (o.variant.scales && !place_scales(x, op, o, lane, *m, report)))
        return false;
    events::TensorIssue what{.kind = events::TensorIssue::Kind::mma,
                             .group = o.variant.group,
                             .operands = report.operands,
                             .cells = report.cells,
                             .shape = m->product.m << 16 | m->product.n};
    tcgen05::issue(x, lane, what, [m] { tcgen05::carry_out(*m); });
    return true;
}

Flow multiply(Exec& x, const Op& op) {
    const auto& operands = *static_cast<const Operands*>(op.extra);
    return lane_by_lane(x, [&](int lane) { return multiply_one(x, op, operands, lane); });
}

// --- decoding -------------------------------------------------------------------------------------------------------

tcgen05::Kind kind_of(Decoder& d) {
    constexpr std::string_view names[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
    const auto name = d.value(".kind").substr(std::string_view(".kind::").size());
    size_t i = 0;
    while (names[i] != name)
        ++i;
    return tcgen05::Kind(i);
}

/// Scale factors for each line: from .scale_vec::NX or .blockN.
uint32_t scales_of(Decoder& d, tcgen05::Kind kind) {
    using tcgen05::Kind;
    const auto size = d.value(".scales");
    if (size.starts_with(".scale_vec"))
        d.need("sm_100a sm_110a", fmt::format("{} with {}", d.source.opcode, size));
    if (size.empty() && kind == Kind::mxf4nvf4)
        d.fail(fmt::format("{} needs .block16 or .block32 (or .scale_vec::NX)", d.source.opcode));
    const uint32_t count = size == ".scale_vec::1X"                         ? 1
                           : size == ".scale_vec::2X"                       ? 2
                           : size == ".scale_vec::4X" || size == ".block16" ? 4
                                                                            : (kind == Kind::mxf8f6f4 ? 1 : 2);
    const bool there = kind == Kind::mxf8f6f4 ? count == 1 : kind == Kind::mxf4 ? count == 2 : count != 1;
    if (!there)
        d.fail(fmt::format("{}: there is no {} with {}", d.source.opcode, d.value(".kind"), size));
    return count;
}

/// Operands behind the instruction descriptor.
void decode_rest(Decoder& d, Operands& o) {
    size_t next = 4;
    if (o.variant.scales) {
        o.scales_a = d.address(next++, Space::generic);
        o.scales_b = d.address(next++, Space::generic);
    } else if (d.operand(next).kind == ptx::Operand::Kind::vector) {
        o.disabled = tensor::registers_read(d, next++, o.variant.group == 2 ? 8 : 4, 4);
    }
    if (next >= d.operand_count())
        d.fail(fmt::format("{}: the predicate enable-input-d is missing", d.source.opcode));
    o.accumulate = d.predicate(next++, o.accumulate_flip);
    if (next < d.operand_count() && o.variant.weight_stationary) {
        o.zero_columns = d.read(next++, 8);
    } else if (next < d.operand_count()) {
        const bool has = o.variant.kind == tcgen05::Kind::f16 || o.variant.kind == tcgen05::Kind::tf32;
        o.scale_d = uint32_t(d.immediate(next++));
        if (!has || o.scale_d > 15)
            d.fail(fmt::format("{}: scale-input-d is 0 to 15, with .kind::f16 and .kind::tf32 only", d.source.opcode));
    }
    if (next < d.operand_count())
        d.fail(fmt::format("{} has {} operands too many", d.source.opcode, d.operand_count() - next));
}

Handler decode(Decoder& d) {
    Operands o;
    o.variant.kind = kind_of(d);
    o.variant.group = cta_group(d);
    o.variant.weight_stationary = d.has(".ws");
    if (o.variant.kind == tcgen05::Kind::i8)
        d.need("sm_100a sm_110a", fmt::format("{} with .kind::i8", d.source.opcode));
    if (d.has(".sp"))
        d.fail(fmt::format("{}: a sparse A is not part of the simulated device", d.source.opcode));
    if (d.has(".ashift"))
        d.fail(fmt::format("{}: .ashift is not part of the simulated device", d.source.opcode));
    const bool scaled = o.variant.kind >= tcgen05::Kind::mxf8f6f4;
    if (o.variant.weight_stationary && (scaled || o.variant.group == 2))
        d.fail(fmt::format("{}: .ws has neither .cta_group::2 nor scale factors", d.source.opcode));
    if (scaled)
        o.variant.scales = scales_of(d, o.variant.kind);
    o.d = d.address(0, Space::generic);
    o.a_in_cells = d.operand(1).kind == ptx::Operand::Kind::address;
    if (o.a_in_cells)
        o.a = d.address(1, Space::generic);
    else
        o.a_descriptor = d.read(1, 8);
    o.b_descriptor = d.read(2, 8);
    o.description = d.read(3, 4);
    decode_rest(d, o);
    d.op.extra = d.keep(std::move(o));
    return multiply;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "tcgen05.mma",
        .syntax = R"(
        tcgen05.mma{.sp}{.ws}.cta_group.kind{.block_scale}{.scales}{.ashift}{.collector} d, a, b, i, x{, y, z, w};
        .cta_group = { .cta_group::1, .cta_group::2 };
        .kind = { .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8, .kind::mxf8f6f4, .kind::mxf4, .kind::mxf4nvf4 };
        .scales = { .scale_vec::1X, .scale_vec::2X, .scale_vec::4X, .block16, .block32 };
        .collector = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard,
            .collector::b0::fill, .collector::b0::use, .collector::b0::lastuse, .collector::b0::discard,
            .collector::b1::fill, .collector::b1::use, .collector::b1::lastuse, .collector::b1::discard,
            .collector::b2::fill, .collector::b2::use, .collector::b2::lastuse, .collector::b2::discard,
            .collector::b3::fill, .collector::b3::use, .collector::b3::lastuse, .collector::b3::discard };
)",
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = "tcgen05-mma-instructions-mma",
        .decode = decode,
        .use = Use::sink,
        .inexact = {{"", "sums are kept in f32 and taken in the order of K, since the hardware's order is not "
                         "documented: exact where no sum is rounded"}},
    },
};

} // namespace sim::instructions::tcgen05_mma
