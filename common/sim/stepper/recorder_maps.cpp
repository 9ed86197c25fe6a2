// The recorder's view of tensor maps: their fields, who writes them, and the fences between the proxies.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/demangle.h"
#include "sim/async/tensor_map.h"
#include "sim/machine/names.h"
#include "sim/machine/program.h"
#include "sim/ptx/declarations.h"
#include "sim/stepper/recorder.h"

namespace sim::stepper {

namespace {

std::string parameter_name(const machine::Grid& grid, uint64_t offset) {
    const auto& kernel = *grid.entry;
    const auto& parameters = kernel.function->params;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const uint64_t into = offset - parameters[i].offset;
        if (into >= parameters[i].bytes)
            continue;
        const auto names = kernel.module->declarations().parameters(
            base::function_name(kernel.function->name), parameters.size(), kernel.module->file_of(*kernel.function));
        const std::string name = names.empty() ? fmt::format("parameter {}", i + 1) : names[i];
        return into ? fmt::format("byte {} of {}", into, name) : name;
    }
    return {};
}

std::string map_name(const machine::Grid& grid, const machine::Block* owner, uint64_t address) {
    std::string name;
    if (owner)
        name = machine::shared_name(*owner, uint32_t(address));
    else if (const auto* home = grid.memory.find(address); home && home->kind == memory::AllocationKind::parameters)
        name = parameter_name(grid, address - home->address);
    else
        name = machine::global_name(grid, address);
    constexpr std::string_view whole = "byte 0 of "; // a variable that is the map
    if (name.starts_with(whole))
        name.erase(0, whole.size());
    return name.empty() ? fmt::format("{:#x}", address) : name;
}

std::vector<std::string> fields_of(const machine::Grid& grid, const async::TensorMap& map) {
    static constexpr const char* interleave[] = {"none", "16B", "32B"};
    static constexpr const char* swizzle[] = {"none", "32B", "64B", "128B"};
    const size_t rank = std::clamp<size_t>(map.rank, 1, 5);
    const auto each = [](const auto& values, size_t count) {
        return fmt::format("{}", fmt::join(std::span(values).first(count), " × "));
    };
    const std::string start = machine::global_name(grid, map.address);
    return {start.empty() ? fmt::format("{:#x}", map.address) : start,
            std::to_string(map.rank),
            std::string(async::name(map.type)),
            each(map.dim, rank),
            rank > 1 ? each(map.stride, rank - 1) + " B" : "–",
            map.im2col ? "im2col" : each(map.box, rank),
            each(map.element_stride, rank),
            interleave[size_t(map.interleave)],
            swizzle[size_t(map.swizzle)],
            map.fill == async::Fill::nan ? "nan" : "zeros"};
}

} // namespace

uint32_t Recorder::map(const Block* owner, uint64_t address) {
    constexpr size_t most_maps = 64;
    const uint32_t block = owner ? rank(owner) : 0;
    auto& maps = current_.maps;
    const bool shared = owner != nullptr;
    for (size_t i = 0; i < maps.size(); ++i)
        if (maps[i].address == address && maps[i].block == block && (maps[i].where == Map::Where::shared) == shared)
            return uint32_t(i);
    if (maps.size() >= most_maps)
        return none;
    const auto* home = owner ? nullptr : grid_->memory.find(address);
    if (owner ? address + map_bytes > owner->shared.size() : !home || !home->holds(address, map_bytes))
        return none;
    const bool constant =
        home && (home->kind == memory::AllocationKind::parameters || home->kind == memory::AllocationKind::constant);
    maps.push_back({shared     ? Map::Where::shared
                    : constant ? Map::Where::constant
                               : Map::Where::global,
                    block, address, map_name(*grid_, owner, address)});
    map_states_.emplace_back();
    return uint32_t(maps.size() - 1);
}

MapState Recorder::state(uint32_t number) const {
    const Map& map = current_.maps[number];
    std::array<std::byte, map_bytes> bytes{};
    if (map.where != Map::Where::shared) {
        const auto* home = grid_->memory.find(map.address);
        if (!home || !home->live)
            return map_states_[number];
        std::memcpy(bytes.data(), home->data + (map.address - home->address), bytes.size());
    } else if (const Block* owner = blocks_[map.block]) {
        std::memcpy(bytes.data(), owner->shared.data() + map.address, bytes.size());
    } else {
        return map_states_[number];
    }
    return {number, fields_of(*grid_, async::TensorMap::unpack(bytes))};
}

void Recorder::show_map(Step& step, uint32_t number) {
    MapState now = state(number);
    if (now == map_states_[number])
        return;
    std::erase_if(step.maps, [&](const MapState& old) { return old.map == number; });
    step.maps.push_back(map_states_[number] = std::move(now));
}

void Recorder::settle_maps() {
    if (!std::exchange(maps_change_, false) || current_.steps.empty() || current_.left_out)
        return;
    for (uint32_t i = 0; i < current_.maps.size(); ++i)
        show_map(current_.steps.back(), i);
}

void Recorder::note_map_write(Step& step, const Block* owner, const events::Access& access) {
    const uint64_t first = access.address[size_t(std::countr_zero(access.mask))];
    if (access.bytes == map_bytes) { // tensormap.replace
        step.map = map(owner, first);
        if (step.map == none)
            return;
        show_map(step, step.map); // as it was
        maps_change_ = true;
    } else {
        for (uint32_t i = 0; i < current_.maps.size(); ++i) {
            const Map& known = current_.maps[i];
            const bool here = owner ? known.where == Map::Where::shared && blocks_[known.block] == owner
                                    : known.where == Map::Where::global;
            machine::for_lanes(here ? access.mask : 0, [&](int lane) {
                if (const uint64_t at = access.address[size_t(lane)];
                    at < known.address + map_bytes && known.address < at + access.bytes)
                    step.map = i;
            });
        }
        maps_change_ = maps_change_ || step.map != none;
    }
}

void Recorder::map_release(Exec& x, uint32_t mask, events::Scope) {
    if (ours(x.warp)) {
        settle(&x.warp);
        if (Step* step = add(Kind::map_fence, x.block, &x.warp, mask))
            step->strong = 'r';
    }
}

void Recorder::map_acquire(Exec& x, uint32_t lane, uint64_t address, events::Scope) {
    if (!ours(x.warp))
        return;
    settle(&x.warp);
    Step* step = add(Kind::map_fence, x.block, &x.warp, 1u << lane);
    if (!step)
        return;
    step->strong = 'a';
    if ((step->map = map(nullptr, address)) != none)
        show_map(*step, step->map);
}

void Recorder::map_copy(Exec& x, Block& source, uint32_t offset, uint64_t address, events::Scope) {
    const uint32_t memory = rank(&source);
    if (!ours(x.warp) || memory == none)
        return;
    settle(&x.warp);
    sealed_ = true;
    Step* step = add(Kind::map_copy, x.block, &x.warp, x.mask);
    if (!step)
        return;
    step->memory = memory;
    step->bytes = map_bytes;
    step->ranges.push_back({offset, offset + map_bytes});
    step->what = map(&source, offset);
    step->map = map(nullptr, address);
    for (const uint32_t one : {step->what, step->map})
        if (one != none)
            show_map(*step, one);
    maps_change_ = true;
}

void Recorder::map_use(Exec& x, uint32_t, uint64_t address, uint64_t copy) {
    if (ours(x.warp) && copy)
        used_map_ = map(nullptr, address);
}

} // namespace sim::stepper
