// What threads ask for that loop until a value in memory changes, when nothing will change it.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "sim/machine/grid.h"
#include "sim/machine/instruction.h"
#include "sim/machine/names.h"

namespace sim::machine {
namespace {

constexpr uint32_t loop_length = 4096; // instructions of a loop that are looked at

bool asks_memory(const Op& op) {
    return op.does(effect::loads | effect::atomic) && !op.does(effect::mbarrier_object | effect::copies) && op.width &&
           op.width <= 8 && op.address.space != ptx::Space::param && op.address.space != ptx::Space::local;
}

/// The address of one lane; nothing: it comes from no register of the frame.
std::optional<uint64_t> address_of(const Frame& frame, const AddressRef& ref, int lane) {
    if (!ref.base.exists())
        return uint64_t(ref.offset);
    if (ref.base.base() != OperandRef::frame)
        return std::nullopt;
    const std::byte* registers = frame.data + ref.base.offset();
    uint64_t base = 0;
    uint32_t narrow = 0;
    if (ref.wide)
        std::memcpy(&base, registers + sizeof base * size_t(lane), sizeof base);
    else
        std::memcpy(&narrow, registers + sizeof narrow * size_t(lane), sizeof narrow);
    return (ref.wide ? base : narrow) + uint64_t(ref.offset);
}

/// "flag[2], which is 0". Empty: no variable is known there.
std::string flag_at(const Grid& grid, const Block& block, ptx::Space space, uint64_t address, uint32_t bytes) {
    const bool in_window =
        address >= memory::shared_window && address - memory::shared_window < memory::shared_window_bytes;
    const std::byte* data = nullptr;
    std::string name;
    if (space == ptx::Space::shared || (space == ptx::Space::generic && in_window)) {
        const auto offset = uint32_t(address) & memory::shared_offset_mask;
        if (uint64_t{offset} + bytes > block.shared.size())
            return {};
        name = shared_name(block, offset);
        data = block.shared.data() + offset;
    } else {
        const memory::Allocation* allocation = grid.memory.find(address);
        if (!allocation || !allocation->data || !allocation->holds(address, bytes))
            return {};
        name = global_name(grid, *allocation, address);
        data = allocation->data + (address - allocation->address);
    }
    if (name.empty())
        return {};
    uint64_t value = 0;
    std::memcpy(&value, data, bytes);
    return fmt::format("{}, which is {}", name, value);
}

} // namespace

void Grid::note_polls() {
    const auto note = [this](const Block& block, const Warp& warp, const DecodedFunction& function, uint32_t pc) {
        const Fragment& fragment = warp.fragments[warp.current];
        const Op& op = function.ops[pc];
        if (fragment.frame->function != &function || !asks_memory(op) || poll_of(warp, fragment.mask))
            return;
        const auto address = address_of(*fragment.frame, op.address, std::countr_zero(fragment.mask));
        const bool of_grid = address && workspace && *address - workspace < 64;
        const std::string flag =
            address && !of_grid ? flag_at(*this, block, op.address.space, *address, op.width) : std::string();
        if (of_grid || !flag.empty())
            spin_.polls.push_back(
                {&warp, fragment.mask,
                 of_grid ? "waits at the grid barrier" : fmt::format("asks again and again for {}", flag), of_grid});
    };
    for (auto& block : resident)
        for (auto& warp : block->warps)
            for (uint32_t i = 0; i < loop_length && warp->runnable() && outcome_; ++i) {
                std::array<std::pair<const DecodedFunction*, uint32_t>, 32> places{};
                for (size_t f = 0; f < warp->fragments.size(); ++f)
                    places[f] = {warp->fragments[f].frame->function, warp->fragments[f].pc};
                if (!run_warp(*warp, 1) || warp->current >= warp->fragments.size())
                    break;
                if (const auto [function, pc] = places[warp->current]; function)
                    note(*block, *warp, *function, pc);
                if (std::ranges::all_of(warp->fragments, [&](const Fragment& fragment) {
                        return !fragment.ready() || poll_of(*warp, fragment.mask);
                    }))
                    break;
            }
}

const Grid::Spin::Poll* Grid::poll_of(const Warp& warp, uint32_t mask) const {
    const auto known = std::ranges::find_if(
        spin_.polls, [&](const Spin::Poll& poll) { return poll.warp == &warp && (poll.mask & mask); });
    return known == spin_.polls.end() ? nullptr : &*known;
}

} // namespace sim::machine
