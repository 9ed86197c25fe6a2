// tcgen05.cp: shared memory to Tensor Memory; tcgen05.shift: rows of Tensor Memory down by one. Both are issued by one
// thread and complete like tcgen05.mma.
#include <cstring>

#include "sim/instructions/tcgen05_issue.h"

namespace sim::instructions::tcgen05_cp {
namespace {

using async::TensorMemory;

/// Which rows of the source go to which lanes.
struct Shape {
    std::string_view name;
    uint32_t rows, pieces; ///< pieces of 16 bytes in a row
    std::string_view multicast;
};
constexpr Shape shapes[] = {{".128x256b", 128, 2, ""},
                            {".4x256b", 4, 2, ""},
                            {".128x128b", 128, 1, ""},
                            {".64x128b", 64, 1, ".warpx2::02_13"},
                            {".64x128b", 64, 1, ".warpx2::01_23"},
                            {".32x128b", 32, 1, ".warpx4"}};

/// The lanes that row `row` goes to, from the address's lane on.
std::vector<uint32_t> lanes_of(const Shape& shape, uint32_t row) {
    if (shape.rows == 4)
        return {32 * row};
    if (shape.rows == 32)
        return {row, row + 32, row + 64, row + 96};
    if (shape.multicast == ".warpx2::02_13")
        return {row, row + 64};
    if (shape.multicast == ".warpx2::01_23")
        return {row / 32 * 64 + row % 32, row / 32 * 64 + row % 32 + 32};
    return {row};
}

struct Operands {
    const Shape* shape = nullptr;
    uint32_t group = 1;
    bool unpacks = false;
    tcgen05::Format format = tcgen05::Format::e2m1; ///< unpacks: of how many bits
    AddressRef to;
    OperandRef descriptor;
};

/// The copy on its way.
struct Copy {
    const Operands* operands;
    TensorMemory::Address to;
    std::vector<tcgen05::SharedMatrix> sources; ///< of each CTA, to its own Tensor Memory
};

void carry_out(const Copy& copy) {
    const Shape& shape = *copy.operands->shape;
    for (const auto& source : copy.sources) {
        TensorMemory& memory = async::Engine::of(*source.block).tensor_memory();
        const auto* bytes = reinterpret_cast<const uint8_t*>(source.block->shared.data());
        for (uint32_t i = 0; i < source.offsets.size(); ++i) {
            uint8_t piece[16];
            if (copy.operands->unpacks)
                tcgen05::unpack(copy.operands->format, bytes + source.offsets[i], piece);
            else
                std::memcpy(piece, bytes + source.offsets[i], 16);
            uint32_t words[4];
            std::memcpy(words, piece, 16);
            for (const uint32_t lane : lanes_of(shape, i / shape.pieces))
                for (uint32_t word = 0; word < 4; ++word)
                    memory.cell(copy.to.lane + lane, copy.to.column + i % shape.pieces * 4 + word) = words[word];
        }
    }
}

bool copy_one(Exec& x, const Op& op, const Operands& o, int lane) {
    const Shape& shape = *o.shape;
    auto copy = std::make_shared<Copy>(Copy{&o, TensorMemory::Address(tcgen05::address(x, o.to, lane)), {}});
    const uint32_t columns = 4 * shape.pieces, last = shape.rows == 4 ? 31 : 0;
    if (copy->to.lane > last)
        return tcgen05::refuse(x, op,
                               fmt::format("The address begins in lane {}, but {} begins in lane 0{}.", copy->to.lane,
                                           op.source->opcode, last ? " to 31" : ""));
    const auto bits = x.lanes<uint64_t>(o.descriptor)[lane];
    if (const std::string why = tcgen05::wrong(bits, 0); !why.empty())
        return tcgen05::refuse(x, op, fmt::format("The shared memory descriptor is {:#x}: {}.", bits, why));
    std::vector<events::TensorIssue::Shared> operands;
    std::vector<events::TensorCells> cells;
    for (Block* block : tcgen05::ctas(x, op, o.group)) {
        copy->sources.push_back({block, {}});
        operands.push_back({.block = block, .matrix = {}});
        operands.back().matrix.name = 'S';
        if (!tcgen05::find_pieces(x, op, *block, bits, false, shape.rows, shape.pieces, copy->sources.back().offsets,
                                  operands.back().matrix))
            return false;
        for (uint32_t row = 0; row < (shape.rows == 4 ? 4u : 1u); ++row) {
            cells.push_back({.block = block,
                             .lane = copy->to.lane + 32 * row,
                             .lanes = shape.rows == 4 ? 1u : 128u,
                             .column = copy->to.column,
                             .columns = columns,
                             .written = true,
                             .name = 'C'});
            if (!check_cells(x, op, cells.back(), "the destination"))
                return false;
        }
    }
    if (operands.empty())
        return false;
    events::TensorIssue what{
        .kind = events::TensorIssue::Kind::cp, .group = o.group, .operands = operands, .cells = cells};
    tcgen05::issue(x, lane, what, [copy] { carry_out(*copy); });
    return true;
}

Flow copy(Exec& x, const Op& op) {
    const auto& operands = *static_cast<const Operands*>(op.extra);
    return lane_by_lane(x, [&](int lane) { return copy_one(x, op, operands, lane); });
}

Handler decode_copy(Decoder& d) {
    Operands o;
    o.group = cta_group(d);
    for (const Shape& shape : shapes)
        if (shape.name == d.value(".shape") && shape.multicast == d.value(".multicast"))
            o.shape = &shape;
    if (!o.shape)
        d.fail(fmt::format("{}: .64x128b needs .warpx2::02_13 or .warpx2::01_23, .32x128b needs .warpx4, and the other "
                           "shapes have no multicast",
                           d.source.opcode));
    o.unpacks = d.has(".packing");
    if (o.unpacks != d.has(".b8x16"))
        d.fail(fmt::format("{}: .b8x16 and .b6x16_p32 or .b4x16_p64 go together", d.source.opcode));
    o.format = d.value(".packing") == ".b6x16_p32" ? tcgen05::Format::e2m3 : tcgen05::Format::e2m1;
    o.to = d.address(0, Space::generic);
    o.descriptor = d.read(1, 8);
    d.op.extra = d.keep(std::move(o));
    return copy;
}

// --- tcgen05.shift --------------------------------------------------------------------------------------------------

void shift_rows(TensorMemory& memory, TensorMemory::Address at) {
    for (uint32_t column = at.column; column < at.column + 8; ++column)
        for (uint32_t row = 0; row < 31; ++row)
            memory.cell(at.lane + row, column) = memory.cell(at.lane + row + 1, column);
}

bool shift_one(Exec& x, const Op& op, int lane) {
    const TensorMemory::Address at(tcgen05::address(x, op.address, lane));
    if (at.lane % 32 || at.lane >= TensorMemory::lanes)
        return tcgen05::refuse(
            x, op, fmt::format("The address begins in lane {}, but tcgen05.shift needs 0, 32, 64 or 96.", at.lane));
    std::vector<events::TensorCells> cells;
    const std::vector<Block*> blocks = tcgen05::ctas(x, op, op.small);
    for (Block* block : blocks)
        for (const bool written : {false, true}) {
            cells.push_back({.block = block,
                             .lane = at.lane + !written,
                             .lanes = 31,
                             .column = at.column,
                             .columns = 8,
                             .written = written,
                             .name = 'A'});
            if (!check_cells(x, op, cells.back(), "the matrix"))
                return false;
        }
    if (cells.empty())
        return false;
    events::TensorIssue what{
        .kind = events::TensorIssue::Kind::shift, .group = op.small, .operands = {}, .cells = cells};
    tcgen05::issue(x, lane, what, [blocks, at] {
        for (Block* block : blocks)
            shift_rows(async::Engine::of(*block).tensor_memory(), at);
    });
    return true;
}

Flow shift(Exec& x, const Op& op) {
    return lane_by_lane(x, [&](int lane) { return shift_one(x, op, lane); });
}

Handler decode_shift(Decoder& d) {
    d.op.small = cta_group(d);
    d.op.address = d.address(0, Space::generic);
    return shift;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "tcgen05.cp",
        .syntax = R"(
        tcgen05.cp.cta_group.shape{.multicast}{.b8x16}{.packing} [d], s;
        .cta_group = { .cta_group::1, .cta_group::2 };
        .shape = { .128x256b, .4x256b, .128x128b, .64x128b, .32x128b };
        .multicast = { .warpx2::02_13, .warpx2::01_23, .warpx4 };
        .packing = { .b6x16_p32, .b4x16_p64 };
)",
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = "tcgen05-instructions-tcgen05-cp",
        .decode = decode_copy,
        .use = Use::sink,
    },
    {
        .name = "tcgen05.shift",
        .syntax = "tcgen05.shift.cta_group.down [d]; .cta_group = { .cta_group::1, .cta_group::2 };",
        .isa = 86,
        .targets = "sm_100a sm_103a sm_110a",
        .manual = "tcgen05-instructions-tcgen05-shift",
        .decode = decode_shift,
        .use = Use::sink,
        .inexact = {{"", "row i of each 32 rows gets row i + 1; the manual's text leaves the direction open"}},
    },
};

} // namespace sim::instructions::tcgen05_cp
