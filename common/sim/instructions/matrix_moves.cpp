#include <fmt/format.h>

#include "sim/instructions/memory_operands.h"

namespace sim::instructions::matrix_moves {
namespace {

// Plain data movement: 8x8 matrices of 16-bit elements between shared memory and the registers of a warp. Lanes 8m ..
// 8m+7 give the addresses of the rows of matrix m; lane t holds elements 2(t%4) and 2(t%4)+1 of row t/4.

struct Matrices {
    DataOperand data;
    bool transposed = false;
};

using Rows = uint16_t[4][8][8];

/// The place of lane t's element i of a matrix.
uint16_t& element(Rows& rows, uint32_t matrix, uint32_t t, uint32_t i, bool transposed) {
    const uint32_t outer = t / 4, inner = t % 4 * 2 + i;
    return transposed ? rows[matrix][inner][outer] : rows[matrix][outer][inner];
}

/// Resolves the rows' addresses. Only the lanes that give one take part in the access.
bool resolve_rows(Exec& x, const Op& op, const DataOperand& data, Direction direction, Resolved& r) {
    const uint32_t count = data.count;
    const uint32_t all = x.mask;
    x.mask = count == 4 ? all : all & ((1u << (8 * count)) - 1);
    const bool good = resolve(x, op, op.address, 16, 16, direction, r);
    if (good)
        count_banks(x, op, data, r, 16);
    x.mask = all;
    return good;
}

bool converged(Exec& x) {
    return x.mask == all_lanes;
}

Flow diverged(Exec& x, const Op& op) {
    return x.fail(
        Fault::illegal_instruction,
        fmt::format("{} needs all 32 lanes of the warp; lanes {:#010x} execute it", op.source->opcode, x.mask));
}

Flow load_matrices(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Matrices*>(op.extra);
    if (!gather(x, op, x.warp.alive()))
        return Flow::block;
    if (!converged(x))
        return diverged(x, op);
    Resolved r;
    if (!resolve_rows(x, op, m.data, Direction::load, r))
        return Flow::fault;
    Rows rows;
    for (uint32_t lane = 0; lane < 8 * m.data.count; ++lane)
        std::memcpy(rows[lane / 8][lane % 8], r.pointer[lane], 16);
    for (uint32_t i = 0; i < m.data.count; ++i)
        if (m.data.part[i].exists())
            for (uint32_t lane = 0; lane < 32; ++lane)
                x.lanes<uint32_t>(m.data.part[i])[lane] =
                    element(rows, i, lane, 0, m.transposed) | uint32_t(element(rows, i, lane, 1, m.transposed)) << 16;
    observe(x, op, r, Access::Kind::load, Semantics::weak, Scope::cta, 16);
    return Flow::next;
}

Flow store_matrices(Exec& x, const Op& op) {
    const auto& m = *static_cast<const Matrices*>(op.extra);
    if (!gather(x, op, x.warp.alive()))
        return Flow::block;
    if (!converged(x))
        return diverged(x, op);
    Resolved r;
    if (!resolve_rows(x, op, m.data, Direction::store, r))
        return Flow::fault;
    Rows rows;
    for (uint32_t i = 0; i < m.data.count; ++i)
        for (uint32_t lane = 0; lane < 32; ++lane) {
            const uint32_t value = x.lanes<uint32_t>(m.data.part[i])[lane];
            element(rows, i, lane, 0, m.transposed) = uint16_t(value);
            element(rows, i, lane, 1, m.transposed) = uint16_t(value >> 16);
        }
    std::byte stored[32 * 16];
    std::memcpy(stored, rows, 8 * m.data.count * 16);
    observe(x, op, r, Access::Kind::store, Semantics::weak, Scope::cta, 16, stored);
    for (uint32_t lane = 0; lane < 8 * m.data.count; ++lane)
        std::memcpy(r.pointer[lane], rows[lane / 8][lane % 8], 16);
    ++x.grid.activity;
    return Flow::next;
}

void take_count(Decoder& d, const DataOperand& data) {
    if (uint32_t(d.value(".num").back() - '0') != data.count)
        d.fail(fmt::format("'{}' with {} registers", d.source.opcode, data.count));
}

Handler decode_load(Decoder& d) {
    Matrices m{loaded(d, 0, 4), d.has(".trans")};
    take_count(d, m.data);
    d.op.address = d.address(1, d.space(".ss"));
    d.op.extra = d.keep(m);
    return load_matrices;
}

Handler decode_store(Decoder& d) {
    Matrices m{stored(d, 1, 4), d.has(".trans")};
    take_count(d, m.data);
    d.op.address = d.address(0, d.space(".ss"));
    d.op.extra = d.keep(m);
    return store_matrices;
}

Flow transpose(Exec& x, const Op& op) {
    if (!gather(x, op, x.warp.alive()))
        return Flow::block;
    if (!converged(x))
        return diverged(x, op);
    Rows rows;
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t i = 0; i < 2; ++i)
            element(rows, 0, lane, i, false) = uint16_t(x.lanes<uint32_t>(op.a)[lane] >> (16 * i));
    for (uint32_t lane = 0; lane < 32; ++lane)
        x.lanes<uint32_t>(op.d)[lane] = element(rows, 0, lane, 0, true) | uint32_t(element(rows, 0, lane, 1, true))
                                                                              << 16;
    return Flow::next;
}

Handler decode_transpose(Decoder& d) {
    same_width(d, 4);
    return transpose;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "ldmatrix",
        .syntax = R"(
        ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p];
        .num = { .x1, .x2, .x4 };
        .ss = { .shared{::cta} };
)",
        .isa = 65,
        .sm = 75,
        .manual = "warp-level-matrix-instructions-ldmatrix",
        .decode = decode_load,
        .use = Use::sink,
        .effects = {{"", effect::loads | effect::whole_warp}},
    },
    {
        .name = "stmatrix",
        .syntax = R"(
        stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [p], r;
        .num = { .x1, .x2, .x4 };
        .ss = { .shared{::cta} };
)",
        .isa = 78,
        .sm = 90,
        .manual = "warp-level-matrix-instructions-stmatrix",
        .decode = decode_store,
        .use = Use::sink,
        .effects = {{"", effect::stores | effect::whole_warp}},
    },
    {
        .name = "movmatrix",
        .syntax = R"(
        movmatrix.sync.aligned.m8n8.trans.b16 d, a;
)",
        .isa = 78,
        .sm = 75,
        .manual = "warp-level-matrix-instructions-movmatrix",
        .decode = decode_transpose,
        .use = Use::sink,
    },
};

} // namespace sim::instructions::matrix_moves
