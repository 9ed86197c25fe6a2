#include "sim/stepper/recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "base/demangle.h"
#include "sim/diagnosis/flow.h"
#include "sim/machine/effects.h"
#include "sim/machine/names.h"
#include "sim/stepper/ranges.h"

namespace sim::stepper {

namespace {

std::string text(const machine::Dim3& size) {
    return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

char strength(const events::Access& access) {
    using enum events::Semantics;
    switch (access.semantics) {
    case weak:
        return 0;
    case relaxed:
        return 'x';
    case acquire:
        return 'a';
    case release:
        return 'r';
    default:
        return 'b';
    }
}

} // namespace

std::function<std::unique_ptr<events::Listener>()> recorder(Recording& into, RecorderOptions options) {
    return [&into, options] { return std::make_unique<Recorder>(into, options); };
}

uint64_t Recorder::moment() {
    found_ = found_ || grid_;
    sealed_ = true; // what follows is another step
    will_show_registers();
    return launches_ << 32 | (current_.skipped + current_.steps.size() + current_.left_out);
}

// --- which launch, and which blocks ---------------------------------------------------------------------------------

void Recorder::launch_begin(machine::Grid& grid, const events::Order&, events::OperationId) {
    if (grid_)
        return; // of launches that run side by side, the first
    grid_ = &grid;
    found_ = false;
    current_ = {};
    current_.number = ++launches_;
    current_.kernel = base::function_name(grid.entry->function->name);
    current_.grid = text(grid.config.grid);
    current_.launch = text(grid.config.block);
    blocks_.clear();
    shown_.clear();
    states_.clear();
    map_states_.clear();
    asked_.clear();
    clusters_.clear();
    update_.reset();
    polls_.clear();
    writes_.clear();
    barriers_.clear();
    flights_.clear();
    tensor_.clear();
    places_.clear();
    forget_values();
    forget_registers();
}

void Recorder::launch_end(machine::Grid& grid) {
    if (&grid != grid_)
        return;
    grid_ = nullptr;
    const int worth = current_.empty() ? 0 : found_ ? 3 : current_.copies ? 2 : 1;
    if (worth > worth_) {
        worth_ = worth;
        result_ = std::move(current_);
    }
    current_ = {};
    current_.number = launches_;
}

uint32_t Recorder::rank(const Block* block) const {
    for (size_t i = 0; i < blocks_.size(); ++i)
        if (blocks_[i] == block)
            return uint32_t(i);
    return none;
}

void Recorder::join(Block& block) {
    if (rank(&block) != none)
        return;
    const auto cluster = size_t(std::ranges::find(clusters_, block.cluster) - clusters_.begin());
    current_.cluster = uint32_t(block.grid.blocks_per_cluster);
    const size_t at = cluster * current_.cluster + block.cluster_rank;
    blocks_.resize(std::max(blocks_.size(), at + 1));
    shown_.resize(blocks_.size());
    current_.blocks.resize(blocks_.size(), UINT64_MAX);
    blocks_[at] = &block;
    shown_[at].resize(block.warps.size());
    current_.blocks[at] = block.linear;
    current_.threads = block.threads;
    if (current_.parts.empty())
        name_memory(block);
}

void Recorder::block_begin(Block& block) {
    if (&block.grid != grid_)
        return;
    const bool known = std::ranges::find(clusters_, block.cluster) != clusters_.end();
    if (block.linear == options_.block || block.linear == options_.also) {
        if (!known)
            clusters_.push_back(block.cluster);
        for (auto& other : block.grid.resident)
            if (other->cluster == block.cluster)
                join(*other);
        join(block);
    } else if (known && block.grid.blocks_per_cluster > 1) {
        join(block);
    }
}

void Recorder::block_end(Block& block) {
    const uint32_t at = rank(&block);
    if (at == none)
        return;
    settle(nullptr);
    add(Kind::exit, block, nullptr, 0);
    blocks_[at] = nullptr;
}

// --- steps ----------------------------------------------------------------------------------------------------------

Step* Recorder::add(Kind kind, const Block& block, const Warp* warp, uint32_t mask) {
    finish_update();
    if (current_.steps.size() >= options_.most_steps) {
        ++current_.left_out;
        return nullptr;
    }
    if (!current_.steps.empty() && current_.skipped < options_.first) {
        current_.steps.clear();
        if (++current_.skipped == options_.first)
            forget_shown();
    }
    const bool begins = current_.skipped && current_.steps.empty();
    Step& step = current_.steps.emplace_back();
    step.kind = kind;
    step.block = step.memory = rank(&block);
    step.mask = mask;
    if (warp) {
        polls_.erase({step.block, warp->id});
        step.warp = warp->id;
        step.place = place(*warp);
        lines_[{step.block, warp->id}].step = uint32_t(current_.steps.size() - 1);
        lines_[{step.block, warp->id}].skipped = current_.skipped;
        if (!warp->fragments.empty()) {
            const auto& fragment = warp->fragments[std::min(warp->current, warp->fragments.size() - 1)];
            step.pcs.push_back(fragment.frame->function->first_pc + fragment.pc);
        }
    }
    note_warps(step);
    if (begins)
        settle_barriers();
    sealed_ = false;
    return &step;
}

Step* Recorder::add_more(Kind kind, const Warp& warp, uint32_t mask, const Block* memory, bool global) {
    constexpr size_t most_ranges = 96;
    if (!sealed_ && !current_.steps.empty() && !current_.left_out) {
        Step& last = current_.steps.back();
        if (last.kind == kind && last.warp == warp.id && last.block == rank(&warp.block) && last.mask == mask &&
            last.place == place(warp) && last.global == global && !last.strong && last.ranges.size() < most_ranges &&
            (!memory || last.memory == rank(memory))) {
            const auto& fragment = warp.fragments[std::min(warp.current, warp.fragments.size() - 1)];
            const uint32_t pc = fragment.frame->function->first_pc + fragment.pc;
            if (std::ranges::find(last.pcs, pc) == last.pcs.end())
                last.pcs.push_back(pc);
            ++last.times;
            lines_[{last.block, warp.id}].step = uint32_t(current_.steps.size() - 1);
            return &last;
        }
    }
    return add(kind, warp.block, &warp, mask);
}

void Recorder::access(Exec& x, const events::Access& access, events::Reports&) {
    using Kinds = events::Access::Kind;
    const bool global = access.space == ptx::Space::global;
    const bool polls = global && access.semantics != events::Semantics::weak && access.kind != Kinds::store;
    const uint32_t memory = global ? 0 : rank(access.target);
    finish_update();
    const bool recorded = ours(x.warp) && memory != none, again = recorded && polls && is_poll_again(x, access);
    if (global && access.kind != Kinds::load)
        count_writes(access);
    if (!recorded)
        return;
    if (again)
        return note_poll(x, access);
    settle(&x.warp);
    const Kind kind = access.kind == Kinds::load    ? Kind::read
                      : access.kind == Kinds::store ? Kind::write
                                                    : Kind::atomic;
    sealed_ = sealed_ || access.semantics != events::Semantics::weak || access.bytes == map_bytes;
    Step* step = add_more(kind, x.warp, access.mask, global ? nullptr : access.target, global);
    if (!step)
        return;
    step->global = global;
    step->strong = strength(access);
    step->memory = memory;
    step->bytes = access.bytes;
    note_values(x, *step, access);
    if (kind != Kind::read)
        note_map_write(*step, global ? nullptr : access.target, access);
    if (!global) {
        machine::for_lanes(access.mask, [&](int lane) {
            step->ranges.push_back({uint32_t(access.address[lane]), uint32_t(access.address[lane]) + access.bytes});
        });
        unite(step->ranges);
    } else if (step->text.empty()) {
        const int first = std::countr_zero(access.mask), last = 31 - std::countl_zero(access.mask);
        step->text = machine::global_name(x.grid, access.address[first]);
        if (const auto end = machine::global_name(x.grid, access.address[last]); end != step->text && !end.empty())
            step->text += " … " + end;
    }
    if (polls) {
        polls_[{step->block, step->warp}].step = uint32_t(current_.steps.size() - 1);
        note_poll(x, access);
    }
}

void Recorder::fence(Exec& x, events::Semantics, events::Scope, uint32_t mask) {
    if (ours(x.warp)) {
        settle(&x.warp);
        add(Kind::fence, x.block, &x.warp, mask);
    }
}

void Recorder::proxy_fence(Exec& x, uint32_t mask, bool shared, bool global) {
    if (ours(x.warp)) {
        settle(&x.warp);
        if (Step* step = add(Kind::proxy_fence, x.block, &x.warp, mask))
            step->number = uint32_t(shared) | uint32_t(global) << 1;
    }
}

void Recorder::warp_sync(Warp& warp, uint32_t mask) {
    if (ours(warp)) {
        settle(&warp);
        add_more(Kind::warp_sync, warp, mask, nullptr, false);
    }
}

// --- barriers of the block and the cluster --------------------------------------------------------------------------

void Recorder::barrier_arrive(Warp& warp, uint32_t mask, uint32_t id) {
    if (ours(warp)) {
        settle(&warp);
        if (Step* step = add(Kind::arrive, warp.block, &warp, mask)) {
            step->number = id;
            step->first = warp.block.barriers[id].expected;
        }
    }
}

void Recorder::barrier_complete(Block& block, uint32_t id) {
    if (rank(&block) != none)
        if (Step* step = add(Kind::complete, block, nullptr, 0))
            step->number = id;
}

void Recorder::barrier_release(Warp& warp, uint32_t mask, uint32_t id) {
    if (!ours(warp) || current_.steps.empty() || current_.left_out)
        return;
    if (Step& last = current_.steps.back(); last.kind == Kind::complete && last.number == id)
        last.threads.push_back({rank(&warp.block), warp.id, mask});
}

void Recorder::cluster_arrive(Warp& warp, uint32_t mask, bool release) {
    if (ours(warp)) {
        settle(&warp);
        if (Step* step = add(Kind::arrive, warp.block, &warp, mask)) {
            step->number = none;
            step->strong = release ? 'r' : 'x';
        }
    }
}

void Recorder::cluster_complete(Block& any) {
    if (&any.grid == grid_)
        if (const auto known =
                std::ranges::find_if(blocks_, [&](const Block* one) { return one && one->cluster == any.cluster; });
            known != blocks_.end())
            if (Step* step = add(Kind::complete, **known, nullptr, 0))
                step->number = none;
}

void Recorder::cluster_release(Warp& warp, uint32_t mask, bool acquire) {
    if (ours(warp)) {
        settle(&warp);
        if (Step* step = add(Kind::cluster_pass, warp.block, &warp, mask))
            step->strong = acquire ? 'a' : 'x';
    }
}

void Recorder::note_ahead(Step& step) {
    constexpr size_t most = 4;
    for (Block* block : blocks_)
        for (size_t i = 0; block && i < block->warps.size(); ++i)
            for (const auto& fragment : block->warps[i]->fragments) {
                Ahead one{{rank(block), uint32_t(i), fragment.mask}, {}, {}};
                uint32_t pc = fragment.pc;
                for (const machine::Frame* frame = fragment.frame; frame; frame = frame->parent) {
                    for (const uint32_t at : hazards::Flow(*frame->function).ahead(pc)) {
                        const events::Op& op = frame->function->ops[at];
                        auto& places = op.does(machine::effect::arrives) ? one.mbarriers : one.barriers;
                        if (!op.does(machine::effect::arrives) && !op.does(machine::effect::block_barrier))
                            continue;
                        const uint32_t there = place(*frame->function, at);
                        if (there != none && places.size() < most && std::ranges::find(places, there) == places.end())
                            places.push_back(there);
                    }
                    if (frame->parent)
                        pc = uint32_t(frame->call - frame->parent->function->ops.data());
                }
                step.ahead.push_back(std::move(one));
            }
}

// --- what went wrong by itself --------------------------------------------------------------------------------------

void Recorder::misuse(Warp* warp, uint32_t mask, const events::Op* op, const events::Misuse& misuse) {
    if (std::holds_alternative<events::BankConflict>(misuse) ||
        std::holds_alternative<events::BarrierAtOtherLine>(misuse) || !warp || !ours(*warp))
        return;
    settle(nullptr);
    Step* step = add(Kind::misuse, warp->block, warp, mask);
    if (!step)
        return;
    for (const auto& fragment : warp->fragments) // not always the one that ran last
        if (auto& function = *fragment.frame->function;
            op >= function.ops.data() && op < function.ops.data() + function.ops.size())
            step->place = place(function, uint32_t(op - function.ops.data()));
    if (const auto* stopped = std::get_if<events::Stopped>(&misuse)) {
        step->text = stopped->what;
        step->number = uint32_t(stopped->why);
        if (stopped->why == events::Stopped::Why::deadlock)
            note_ahead(*step);
    }
}

} // namespace sim::stepper
