// tcgen05.ld and .st: between Tensor Memory and the registers of a warp. The values move at once: a register that
// depends on a load is ordered by the manual. The hazard detector checks that the cells are not used too early.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "sim/async/engine.h"
#include "sim/instructions/tcgen05_group.h"
#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::tcgen05_load_store {
namespace {

using async::TensorMemory;

enum class Shape : uint8_t { s32x32b, s16x64b, s16x128b, s16x256b, s16x32bx2 };

struct Move {
    Shape shape = Shape::s32x32b;
    tensor::Registers registers;
    uint32_t lanes = 16;  ///< of Tensor Memory
    uint32_t columns = 0; ///< side by side
    uint32_t split = 0;   ///< .16x32bx2: from the first half's columns to the second's
    bool halves = false;  ///< .pack::16b, .unpack::16b: a register is the low halves of two columns
    OperandRef reduced{}; ///< .red
    uint32_t (*reduce)(uint32_t, uint32_t) = nullptr;
    uint32_t per_column() const { return halves ? 2 : 1; }
};

struct Cell {
    uint32_t lane, column; ///< from the address; a column of 32 bits in registers, whether they are packed or not
};

/// Where lane `t` of the warp has its register `r` (PTX ISA, "Matrix fragments"; for .16x64b and .16x256b, whose
/// figures are missing from the text, as CuTe has it).
Cell cell_of(const Move& move, uint32_t t, uint32_t r) {
    switch (move.shape) {
    case Shape::s32x32b:
        return {t, r};
    case Shape::s16x64b:
        return {t / 4 + 8 * (t % 2), 2 * r + t / 2 % 2};
    case Shape::s16x128b:
        return {t / 4 + 8 * (r % 2), r / 2 * 4 + t % 4};
    case Shape::s16x256b:
        return {t / 4 + 8 * (r / 2 % 2), r / 4 * 8 + 2 * (t % 4) + r % 2};
    case Shape::s16x32bx2:
        return {t % 16, r};
    }
    return {};
}

void report_quarter(Exec& x, const Op& op, TensorMemory::Address at, uint32_t lanes) {
    using What = events::TensorCellsWrong::What;
    const uint32_t own = x.warp.id % 4 * 32;
    // Both are customary, and on a GPU the warp's own lanes are meant.
    const bool beyond = at.lane >= TensorMemory::lanes;
    const bool means_own = at.lane == 0 || (beyond && at.lane % TensorMemory::lanes / 32 * 32 == own);
    if (x.listener)
        x.listener->misuse(
            &x.warp, x.mask, &op,
            events::TensorCellsWrong{means_own ? What::lane_missing : What::quarter,
                                     fmt::format("Warp {} of the block may access lanes {} to {}; this address names "
                                                 "lanes {} to {}.",
                                                 x.warp.id, own, own + 31, at.lane, at.lane + lanes - 1)});
}

/// The address, with the lanes of the warp's own quarter. False: it is wrong, and x has failed.
bool resolve_cells(Exec& x, const Op& op, const Move& move, TensorMemory::Address& at,
                   std::vector<events::TensorCells>& cells, bool store) {
    uint64_t raw[32];
    x.addresses(op.address, raw);
    for (uint32_t lane = 1; lane < 32; ++lane)
        if (uint32_t(raw[lane]) != uint32_t(raw[0])) {
            x.fail(Fault::illegal_instruction,
                   fmt::format("{}: lanes 0 and {} of the warp pass different addresses: {:#x} and {:#x}",
                               op.source->opcode, lane, uint32_t(raw[0]), uint32_t(raw[lane])));
            return false;
        }
    at = TensorMemory::Address(uint32_t(raw[0]));
    const uint32_t own = x.warp.id % 4 * 32;
    if (at.lane < own || at.lane + move.lanes > own + 32) {
        report_quarter(x, op, at, move.lanes);
        at.lane = own + (at.lane + move.lanes > own + 32 || at.lane < own ? at.lane % 32 % (33 - move.lanes) : 0);
    }
    events::TensorCells one{.block = &x.block,
                            .lane = at.lane,
                            .lanes = move.lanes,
                            .column = at.column,
                            .columns = move.columns,
                            .written = store};
    cells.assign(1, one);
    if (move.shape == Shape::s16x32bx2) {
        one.column += move.split;
        if (move.split == move.columns)
            cells[0].columns *= 2;
        else
            cells.push_back(one);
    }
    return std::all_of(cells.begin(), cells.end(),
                       [&](const auto& each) { return check_cells(x, op, each, "the matrix"); });
}

/// Calls f(lane of the warp, register, column of the first cell, row) for each register of each lane.
template <class F>
void for_registers(const Move& move, TensorMemory::Address at, F&& f) {
    for (uint32_t r = 0; r < move.registers.size(); ++r)
        for (uint32_t t = 0; t < 32; ++t) {
            const Cell cell = cell_of(move, t, r);
            const uint32_t second = move.shape == Shape::s16x32bx2 && t >= 16 ? move.split : 0;
            f(t, r, at.column + second + cell.column * move.per_column(), at.lane + cell.lane);
        }
}

void report_access(Exec& x, const std::vector<events::TensorCells>& cells, bool store) {
    if (x.listener)
        x.listener->tensor_access(x, {.store = store, .cells = cells});
}

void reduce(Exec& x, const Move& move) {
    uint32_t* result = x.lanes<uint32_t>(move.reduced);
    for (uint32_t t = 0; t < 32; ++t) {
        result[t] = x.lanes<uint32_t>(move.registers[0])[t];
        for (const OperandRef reg : move.registers)
            result[t] = move.reduce(result[t], x.lanes<uint32_t>(reg)[t]);
    }
}

Flow load(Exec& x, const Op& op) {
    const auto& move = *static_cast<const Move*>(op.extra);
    Flow flow;
    if (!tensor::whole_warp(x, op, flow))
        return flow;
    TensorMemory::Address at(0);
    std::vector<events::TensorCells> cells;
    if (!resolve_cells(x, op, move, at, cells, false))
        return Flow::fault;
    report_access(x, cells, false);
    const TensorMemory& memory = async::Engine::of(x.block).tensor_memory();
    for_registers(move, at, [&](uint32_t t, uint32_t r, uint32_t column, uint32_t lane) {
        const uint32_t first = memory.cell(lane, column);
        x.lanes<uint32_t>(move.registers[r])[t] =
            move.halves ? (first & 0xffff) | memory.cell(lane, column + 1) << 16 : first;
    });
    if (move.reduce)
        reduce(x, move);
    return Flow::next;
}

Flow store(Exec& x, const Op& op) {
    const auto& move = *static_cast<const Move*>(op.extra);
    Flow flow;
    if (!tensor::whole_warp(x, op, flow))
        return flow;
    TensorMemory::Address at(0);
    std::vector<events::TensorCells> cells;
    if (!resolve_cells(x, op, move, at, cells, true))
        return Flow::fault;
    report_access(x, cells, true);
    TensorMemory& memory = async::Engine::of(x.block).tensor_memory();
    for_registers(move, at, [&](uint32_t t, uint32_t r, uint32_t column, uint32_t lane) {
        const uint32_t value = x.lanes<uint32_t>(move.registers[r])[t];
        if (!move.halves) {
            memory.cell(lane, column) = value;
            return;
        }
        constexpr uint32_t undefined = TensorMemory::poison & 0xffff0000; // the manual does not say
        memory.cell(lane, column) = (value & 0xffff) | undefined;
        memory.cell(lane, column + 1) = value >> 16 | undefined;
    });
    ++x.grid.activity;
    return Flow::next;
}

/// Fills in everything but the registers. Returns how many there are.
size_t decode_shape(Decoder& d, Move& move) {
    const std::string_view shape = d.value(".shape"), num = d.value(".num");
    uint32_t times = 0;
    std::from_chars(num.data() + 2, num.data() + num.size(), times);
    uint32_t registers = 1;
    if (shape == ".32x32b") {
        move.shape = Shape::s32x32b;
        move.lanes = 32;
    } else if (shape == ".16x64b") {
        move.shape = Shape::s16x64b;
    } else if (shape == ".16x128b") {
        move.shape = Shape::s16x128b;
        registers = 2;
    } else if (shape == ".16x256b") {
        move.shape = Shape::s16x256b;
        registers = 4;
    } else {
        move.shape = Shape::s16x32bx2;
    }
    registers *= times;
    if (registers > 128)
        d.fail(fmt::format("{}: there is no {} with {}", d.source.opcode, shape, num));
    move.halves = d.has(".pack") || d.has(".unpack");
    move.columns =
        registers * move.per_column() * (move.shape == Shape::s32x32b || move.shape == Shape::s16x32bx2 ? 1 : 2);
    return registers;
}

void decode_split(Decoder& d, Move& move, size_t operand) {
    const bool two = move.shape == Shape::s16x32bx2;
    const size_t needed = 2 + (two ? 1 : 0) + (move.reduce ? 1 : 0);
    if (d.operand_count() != needed)
        d.fail(fmt::format("{} with {} operands where {} are needed{}", d.source.opcode, d.operand_count(), needed,
                           two ? ": immHalfSplitoff belongs to .16x32bx2" : ""));
    if (two)
        move.split = uint32_t(d.immediate(operand));
}

Handler decode_load(Decoder& d) {
    Move move;
    const size_t count = decode_shape(d, move);
    decode_split(d, move, 2);
    move.registers = tensor::registers_written(d, 0, count, 4);
    d.op.address = d.address(1, Space::generic);
    d.op.extra = d.keep(move);
    return load;
}

Handler decode_store(Decoder& d) {
    Move move;
    const size_t count = decode_shape(d, move);
    decode_split(d, move, 1);
    move.registers = tensor::registers_read(d, d.operand_count() - 1, count, 4);
    d.op.address = d.address(0, Space::generic);
    d.op.extra = d.keep(move);
    return store;
}

template <class T, bool least, bool absolute, bool nan>
uint32_t reduction(uint32_t a, uint32_t b) {
    T x = std::bit_cast<T>(a), y = std::bit_cast<T>(b);
    if constexpr (std::is_floating_point_v<T>) {
        if (absolute) {
            x = std::bit_cast<T>(a & 0x7fffffff);
            y = std::bit_cast<T>(b & 0x7fffffff);
        }
        if (x != x || y != y) {
            if (nan || (x != x && y != y))
                return 0x7fffffff;
            return std::bit_cast<uint32_t>(x != x ? y : x);
        }
        if (x == y) // zeros: -0 is less than +0
            return least == bool(std::bit_cast<uint32_t>(x) >> 31) ? std::bit_cast<uint32_t>(x)
                                                                   : std::bit_cast<uint32_t>(y);
    }
    return std::bit_cast<uint32_t>(least == (y < x) ? y : x);
}

template <class T, bool least>
auto float_reduction(bool absolute, bool nan) {
    return absolute ? (nan ? reduction<T, least, true, true> : reduction<T, least, true, false>)
                    : (nan ? reduction<T, least, false, true> : reduction<T, least, false, false>);
}

Handler decode_reducing(Decoder& d) {
    Move move;
    const bool least = d.value(".redOp") == ".min", absolute = d.has(".abs"), nan = d.has(".NaN");
    const Type type = d.type();
    if ((absolute || nan) && !is_float(type))
        d.fail(fmt::format("{}: .abs and .NaN are for .f32", d.source.opcode));
    if (is_float(type))
        move.reduce =
            least ? float_reduction<float, true>(absolute, nan) : float_reduction<float, false>(absolute, nan);
    else if (is_signed(type))
        move.reduce = least ? reduction<int32_t, true, false, false> : reduction<int32_t, false, false, false>;
    else
        move.reduce = least ? reduction<uint32_t, true, false, false> : reduction<uint32_t, false, false, false>;
    const size_t count = decode_shape(d, move);
    if (d.value(".num") == ".x1")
        d.fail(fmt::format("{}: .red needs at least .x2", d.source.opcode));
    decode_split(d, move, 3);
    move.registers = tensor::registers_written(d, 0, count, 4);
    move.reduced = destination(d, 1, 4);
    d.op.address = d.address(2, Space::generic);
    d.op.extra = d.keep(move);
    return load;
}

} // namespace

#define SHAPES                                                                                                         \
    ".shape = { .16x64b, .16x128b, .16x256b, .32x32b, .16x32bx2 };"                                                    \
    ".num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };"

INSTRUCTIONS = {
    {
        .name = "tcgen05.ld",
        .syntax = "tcgen05.ld.sync.aligned.shape.num{.pack}.b32 r, [taddr]{, immHalfSplitoff}; "
                  ".pack = { .pack::16b };" SHAPES,
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = "tcgen05-instructions-tcgen05-ld",
        .decode = decode_load,
        .use = Use::sink,
    },
    {
        .name = "tcgen05.ld.red",
        .syntax = "tcgen05.ld.red.sync.aligned.shape.num.redOp{.abs}{.NaN}.type r, redval, [taddr]{, immHalfSplitoff}; "
                  ".shape = { .32x32b, .16x32bx2 }; .num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };"
                  ".redOp = { .min, .max }; .type = { .f32, .u32, .s32 };",
        .isa = 88,
        .targets = "sm_103f sm_110f",
        .manual = "tcgen05-instructions-tcgen05-ld",
        .decode = decode_reducing,
        .use = Use::sink,
    },
    {
        .name = "tcgen05.st",
        .syntax = "tcgen05.st.sync.aligned.shape.num{.unpack}.b32 [taddr], r{, s}; "
                  ".unpack = { .unpack::16b };" SHAPES,
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = "tcgen05-instructions-tcgen05-st",
        .decode = decode_store,
        .use = Use::sink,
    },
};

} // namespace sim::instructions::tcgen05_load_store
