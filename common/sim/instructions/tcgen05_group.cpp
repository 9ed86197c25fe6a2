#include "sim/instructions/tcgen05_group.h"

#include <fmt/format.h>

#include "sim/async/engine.h"

namespace sim::instructions {

uint32_t cta_group(Decoder& d) {
    const std::string_view own = d.value(".cta_group");
    for (const ptx::Instruction& other : d.function().function->body()) {
        const auto at = other.opcode.find(".cta_group::");
        if (at != std::string::npos && other.opcode.starts_with("tcgen05.") &&
            std::string_view(other.opcode).substr(at, own.size()) != own)
            d.fail(fmt::format("{} and {} in one kernel: all tcgen05 instructions of a kernel have the same .cta_group",
                               d.source.opcode, other.opcode));
    }
    return uint32_t(own.back() - '0');
}

bool same_in_warp(Exec& x, const Op& op, OperandRef operand, std::string_view name, uint32_t& value) {
    const uint32_t* lanes = x.lanes<uint32_t>(operand);
    value = lanes[0];
    for (uint32_t lane = 1; lane < 32; ++lane)
        if (lanes[lane] != value) {
            x.fail(Fault::illegal_instruction,
                   fmt::format("{}: lanes 0 and {} of the warp pass different values for {}: {:#x} and {:#x}",
                               op.source->opcode, lane, name, value, lanes[lane]));
            return false;
        }
    return true;
}

bool check_cells(Exec& x, const Op& op, const events::TensorCells& cells, std::string_view name) {
    using Memory = async::TensorMemory;
    using What = events::TensorCellsWrong::What;
    const bool outside = cells.lane + cells.lanes > Memory::lanes || cells.column + cells.columns > Memory::columns;
    const Memory& memory = async::Engine::of(*cells.block).tensor_memory();
    if (!outside && memory.has(*cells.block, cells.column, cells.columns))
        return true;
    const bool freed = !outside && memory.has_freed(*cells.block, cells.column, cells.columns);
    std::string text =
        fmt::format("{}: {} consists of lanes {} to {} and columns {} to {}", op.record->name, name, cells.lane,
                    cells.lane + cells.lanes - 1, cells.column, cells.column + cells.columns - 1);
    if (outside)
        text += fmt::format("; Tensor Memory has {} lanes and {} columns", Memory::lanes, Memory::columns);
    else if (freed)
        text += ", which the block has freed before";
    else
        text += ", which the block has not allocated";
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op,
                           events::TensorCellsWrong{outside ? What::outside
                                                    : freed ? What::freed
                                                            : What::unallocated,
                                                    text});
    if (outside)
        x.fail(Fault::illegal_address, std::move(text));
    return !outside;
}

} // namespace sim::instructions
