#include "sim/instructions/tensor_registers.h"

#include <charconv>

#include <fmt/format.h>

#include "sim/instructions/tensor_fragments.h"

namespace sim::instructions::tensor {
namespace {

std::vector<const ptx::Operand*> parts(Decoder& d, size_t i, size_t count) {
    const ptx::Operand& operand = d.operand(i);
    std::vector<const ptx::Operand*> list;
    if (operand.kind == ptx::Operand::Kind::vector)
        for (const auto& element : operand.elements)
            list.push_back(&element);
    else
        list.push_back(&operand);
    if (list.size() != count)
        d.fail(fmt::format("{}: operand {} has {} registers where {} are needed", d.source.opcode, i + 1, list.size(),
                           count));
    return list;
}

} // namespace

Registers registers_read(Decoder& d, size_t i, size_t count, uint32_t bytes) {
    Registers result;
    for (const auto* part : parts(d, i, count))
        result.push_back(d.read(*part, bytes));
    return result;
}

Registers registers_written(Decoder& d, size_t i, size_t count, uint32_t bytes) {
    Registers result;
    for (const auto* part : parts(d, i, count))
        result.push_back(destination(d, *part, bytes));
    return result;
}

Shape shape_of(std::string_view modifier) {
    Shape shape;
    uint32_t* value = nullptr;
    for (const char c : modifier) {
        if (c == 'm' || c == 'n' || c == 'k')
            value = c == 'm' ? &shape.m : c == 'n' ? &shape.n : &shape.k;
        else if (value)
            *value = *value * 10 + uint32_t(c - '0');
    }
    return shape;
}

void load_accumulators(Exec& x, const Registers& registers, bool halves, uint32_t columns, uint32_t* matrix) {
    for (uint32_t r = 0; r < registers.size(); ++r) {
        const uint32_t* values = x.lanes<uint32_t>(registers[r]);
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t i = 0; i < (halves ? 2 : 1); ++i) {
                const RowAndColumn at = of_accumulator(lane, halves ? 2 * r + i : r);
                matrix[at.row * columns + at.column] = halves ? values[lane] >> (16 * i) & 0xffff : values[lane];
            }
    }
}

void store_accumulators(Exec& x, const Registers& registers, bool halves, uint32_t columns, const uint32_t* matrix) {
    for (uint32_t r = 0; r < registers.size(); ++r) {
        if (!registers[r].exists())
            continue;
        uint32_t* values = x.lanes<uint32_t>(registers[r]);
        for (uint32_t lane = 0; lane < 32; ++lane) {
            const auto element = [&](uint32_t i) {
                const RowAndColumn at = of_accumulator(lane, i);
                return matrix[at.row * columns + at.column];
            };
            values[lane] = halves ? element(2 * r) | element(2 * r + 1) << 16 : element(r);
        }
    }
}

bool whole_warp(Exec& x, const Op& op, Flow& flow) {
    if (!gather(x, op, x.warp.alive())) {
        flow = Flow::block;
        return false;
    }
    if (x.mask == all_lanes)
        return true;
    flow =
        x.fail(Fault::illegal_instruction,
               fmt::format("{} needs all 32 lanes of the warp; lanes {:#010x} execute it", op.source->opcode, x.mask));
    return false;
}

} // namespace sim::instructions::tensor
