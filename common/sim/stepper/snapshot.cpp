// The recorder's view of states: where warps are, what mbarriers hold, and what shared memory is made of.
#include <algorithm>
#include <utility>

#include "sim/async/engine.h"
#include "sim/machine/names.h"
#include "sim/machine/program.h"
#include "sim/stepper/recorder.h"

namespace sim::stepper {

// --- mbarriers ------------------------------------------------------------------------------------------------------

void Recorder::settle_barriers() {
    if (std::exchange(changing_, false) || current_.steps.empty() || current_.left_out)
        return;
    for (size_t i = 0; i < states_.size(); ++i) {
        const Mbarrier& known = current_.barriers[i];
        Block* owner = blocks_[known.block];
        if (!owner)
            continue;
        const async::Mbarrier* now = async::Engine::of(*owner).barriers().find(known.offset);
        if (const auto id = now ? barriers_.find(now->seen.id) : barriers_.end();
            id == barriers_.end() || id->second != i)
            continue;
        const BarrierState state{uint32_t(i), now->pending, uint32_t(now->phase), now->expected + now->added, now->tx};
        if (state == states_[i])
            continue;
        states_[i] = state;
        std::erase_if(current_.steps.back().barriers, [&](const BarrierState& old) { return old.barrier == i; });
        current_.steps.back().barriers.push_back(state);
    }
}

// --- warps ----------------------------------------------------------------------------------------------------------

uint32_t Recorder::place(const machine::DecodedFunction& function, uint32_t pc) {
    auto& known = places_.emplace(function.first_pc + pc, none).first->second;
    if (known != none || pc >= function.function->body().size())
        return known;
    const auto frames = function.module->sources().frames(*function.function, pc);
    if (frames.chain.empty())
        return none;
    const auto& shown = frames.chain[frames.shown].place;
    const ptx::SourceLine here{shown.file, shown.line};
    auto& all = current_.places;
    const auto found = std::ranges::find(all, here);
    known = uint32_t(found - all.begin());
    if (found == all.end())
        all.push_back(here);
    return known;
}

uint32_t Recorder::place(const Warp& warp) {
    if (warp.fragments.empty())
        return none;
    const auto& fragment = warp.fragments[std::min(warp.current, warp.fragments.size() - 1)];
    return place(*fragment.frame->function, fragment.pc);
}

std::vector<FragmentState> Recorder::fragments(const Warp& warp) {
    std::vector<FragmentState> all;
    for (const auto& fragment : warp.fragments) {
        FragmentState& state = all.emplace_back();
        state.mask = fragment.mask;
        state.place = place(*fragment.frame->function, fragment.pc);
        using enum machine::Wait::Kind;
        const auto& wait = fragment.wait;
        if (wait.asks_mbarrier()) {
            state.waits = FragmentState::Waits::mbarrier;
            state.what = barrier_at(warp.block, uint32_t(wait.address));
            state.ask = wait.phase & async::parity_question ? uint32_t(wait.phase & 1) : uint32_t(wait.phase >> 24 & 1);
        } else if (wait.kind == barrier) {
            state.waits = FragmentState::Waits::barrier;
            state.what = wait.id;
        } else if (wait.kind == cluster) {
            state.waits = FragmentState::Waits::cluster;
        } else if (wait.kind == collective) {
            state.waits = FragmentState::Waits::lanes;
            state.what = wait.member;
        } else if (wait.kind == tensor_memory) {
            state.waits = FragmentState::Waits::tensor_memory;
        }
    }
    return all;
}

void Recorder::note_warps(Step& step) {
    for (uint32_t block = 0; block < blocks_.size(); ++block) {
        if (!blocks_[block])
            continue;
        for (const auto& warp : blocks_[block]->warps)
            if (auto now = fragments(*warp); now != shown_[block][warp->id]) {
                shown_[block][warp->id] = now;
                step.warps.push_back({block, warp->id, std::move(now)});
            }
    }
}

void Recorder::forget_shown() {
    for (auto& warps : shown_)
        warps.assign(warps.size(), {});
    for (BarrierState& state : states_)
        state.barrier = none;
    for (MapState& state : map_states_)
        state.fields.clear();
    changing_ = false;
    maps_change_ = true;
}

void Recorder::settle(const Warp* running) {
    settle_barriers();
    settle_maps();
    for (uint32_t block = 0; block < blocks_.size(); ++block) {
        if (!blocks_[block])
            continue;
        for (const auto& warp : blocks_[block]->warps) {
            if (warp.get() == running)
                continue;
            for (const FragmentState& state : fragments(*warp)) {
                if (state.waits != FragmentState::Waits::mbarrier || state.what == none)
                    continue;
                auto& asked = asked_.try_emplace({block, warp->id}, none, 0).first->second;
                if (asked == std::pair(state.what, state.ask))
                    continue;
                asked = {state.what, state.ask};
                if (Step* step = add(Kind::blocks, *blocks_[block], warp.get(), state.mask)) {
                    step->place = state.place;
                    step->what = state.what;
                    step->number = state.ask;
                }
            }
        }
    }
}

// --- memory ---------------------------------------------------------------------------------------------------------

namespace {

/// What one picture shows: "tile[0]" of "tile[0][3]", "ring.full" of "ring.full[1]", "tile" of "byte 8 of tile".
std::string part_of(const std::string& name) {
    if (name.starts_with("byte "))
        return name.substr(name.find(" of ") + 4);
    const size_t member = name.rfind('.'), open = name.find('[', member == name.npos ? 0 : member);
    if (open == name.npos)
        return name;
    const size_t close = name.find(']', open);
    return name.substr(0, name.find('[', close) == name.npos ? open : close + 1);
}

} // namespace

void Recorder::name_memory(Block& block) {
    const machine::DecodedFunction& kernel = *block.grid.entry;
    current_.shared_bytes = uint32_t(block.shared.size());
    current_.reserved = machine::reserved_shared;
    constexpr uint32_t step = 4;
    std::string last;
    for (uint32_t offset = machine::reserved_shared; offset < block.shared.size(); offset += step) {
        const std::string name = kernel.module->shared_name(*kernel.function, offset);
        const std::string part = part_of(name);
        auto& parts = current_.parts;
        if (parts.empty() || parts.back().name != part) {
            parts.push_back({part, offset, step, name.starts_with("byte ") ? 0 : step});
        } else {
            NamedMemory& open = parts.back();
            open.bytes += step;
            // An element ends where the name changes for the first time.
            if (open.element && open.bytes == open.element + step && name == last)
                open.element += step;
        }
        last = name;
    }
}

} // namespace sim::stepper
