#include "sim/timeline/recorder.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/demangle.h"
#include "sim/machine/instruction.h"

namespace sim::timeline {

namespace {

constexpr uint32_t cluster_barrier = 16; // beside the block's 16
constexpr uint64_t sector = Reuse::sector;

/// The sectors that a warp's access moves: all of them, except for ordinary loads of cached data.
std::vector<uint64_t> moved(const events::Access& access, std::unordered_set<uint64_t>* cached) {
    std::vector<uint64_t> sectors;
    machine::for_lanes(access.mask, [&](int lane) {
        for (uint64_t at = access.address[lane] / sector; at <= (access.address[lane] + access.bytes - 1) / sector;
             ++at)
            sectors.push_back(at);
    });
    std::ranges::sort(sectors);
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    if (cached && access.kind == events::Access::Kind::load && access.semantics == events::Semantics::weak)
        std::erase_if(sectors, [&](uint64_t one) { return !cached->insert(one).second; });
    return sectors;
}

} // namespace

std::function<std::unique_ptr<events::Listener>()> recorder(Recording& into, RecorderOptions options) {
    return [&into, options] { return std::make_unique<Recorder>(into, options); };
}

// --- which block, and where it is -----------------------------------------------------------------------------------

void Recorder::launch_begin(machine::Grid& grid, const events::Order&, events::OperationId) {
    if (grid_)
        return; // of launches that run side by side, the first
    grid_ = &grid;
    current_ = {};
    current_.kernel = base::function_name(grid.entry->function->name);
    current_.block = options_.block;
    reuse_.clear();
}

void Recorder::launch_end(machine::Grid& grid) {
    if (&grid != grid_)
        return;
    grid_ = nullptr;
    if (done_ || !current_.warps)
        return;
    reuse_.settle(current_.events);
    done_ = !current_.copies.empty() || !current_.operations.empty();
    if (done_ || !any_)
        result_ = std::move(current_);
    any_ = true;
}

void Recorder::block_begin(Block& block) {
    if (done_ || &block.grid != grid_ || block.linear != options_.block)
        return;
    block_ = &block;
    current_.warps = uint32_t(block.warps.size());
    warps_.assign(block.warps.size(), {});
    cached_.clear();
    joins_.clear();
    mbarriers_.clear();
    loads_.clear();
    commits_.clear();
    numbers_.clear();
    places_.clear();
    generations_ = {};
    for (auto& warp : block.warps)
        warp->pending.announce();
}

void Recorder::instruction(Exec& x, const machine::Op& op) {
    if (ours(x.warp) && log(x.warp).chains.step(x, op) && ours(x))
        add(Event::Kind::store, x.warp, x.mask); // needs the values of earlier loads
}

void Recorder::block_end(Block& block) {
    if (&block == block_ && !block.done()) {
        stop(block);
    } else if (&block == block_) {
        for (const auto& warp : block.warps) {
            log(*warp).now = counts(*warp);
            add(Event::Kind::end, *warp, 0);
        }
        block_ = nullptr;
    }
}

std::string Recorder::awaited(const Block& block, const machine::Fragment& fragment) const {
    using Kind = machine::Wait::Kind;
    const machine::DecodedFunction& kernel = *block.grid.entry;
    return fragment.wait.asks_mbarrier()
               ? kernel.module->barrier_name(*kernel.function, uint32_t(fragment.wait.address))
           : fragment.wait.kind == Kind::barrier ? fmt::format("barrier {}", fragment.wait.id)
           : fragment.wait.kind == Kind::cluster ? "cluster barrier"
                                                 : "";
}

void Recorder::stop(Block& block) {
    for (const auto& warp : block.warps)
        for (const auto& fragment : warp->fragments) {
            WarpLog& mine = log(*warp);
            std::string name = awaited(block, fragment);
            if (name.empty() && mine.polls_at)
                name = mbarriers_[mine.polls_on];
            if (!name.empty()) {
                mine.now = mine.polls_at.value_or(counts(*warp));
                current_.joins.push_back({.name = name, .at = Join::At::barrier, .never = true});
                add(Event::Kind::wait, *warp, fragment.mask, 0, uint32_t(current_.joins.size() - 1));
                current_.hangs = true;
                break;
            }
        }
    block_ = nullptr;
}

bool Recorder::ours(Exec& x) {
    if (!ours(x.warp))
        return false;
    log(x.warp).now = counts(x.warp);
    return true;
}

uint32_t Recorder::place(const Warp& warp) {
    if (warp.fragments.empty())
        return none;
    const auto& fragment = warp.fragments[std::min(warp.current, warp.fragments.size() - 1)];
    const auto& function = *fragment.frame->function;
    auto& known = places_.emplace(function.first_pc + fragment.pc, none).first->second;
    if (known != none || fragment.pc >= function.function->body().size())
        return known;
    const auto frames = function.module->sources().frames(*function.function, fragment.pc);
    if (frames.chain.empty())
        return none;
    const auto& shown = frames.chain[frames.shown].place;
    const ptx::SourceLine here{shown.file, shown.line};
    auto& all = current_.places;
    const auto found = std::find(all.begin(), all.end(), here);
    known = uint32_t(found - all.begin());
    if (found == all.end())
        all.push_back(here);
    return known;
}

uint32_t Recorder::add(Event::Kind kind, const Warp& warp, uint32_t mask, uint32_t bytes, uint32_t what) {
    auto& events = current_.events;
    if (events.size() >= options_.most_events && kind != Event::Kind::end) {
        current_.cut = true;
        return none;
    }
    WarpLog& mine = log(warp);
    if (current_.cut) // what came after the last event is not known
        mine.counted = mine.now;
    const Counts since = mine.now - mine.counted;
    events.push_back({kind, warp.id, uint32_t(since.issue), uint32_t(since.steps), bytes,
                      kind == Event::Kind::end ? none : place(warp), what, mask, 0, uint32_t(since.branches),
                      uint32_t(since.wavefronts)});
    mine.counted = mine.now;
    mine.polls_at.reset();
    if (kind == Event::Kind::store || kind == Event::Kind::arrive || kind == Event::Kind::wait)
        mine.chains.loaded();
    mine.loads =
        mine.loads && (kind == Event::Kind::copy || kind == Event::Kind::tensor || kind == Event::Kind::product);
    mine.last = uint32_t(events.size() - 1);
    return mine.last;
}

uint32_t Recorder::join(char kind, uint32_t id, uint32_t phase) {
    const auto [found, fresh] = joins_.try_emplace({kind, id, phase}, uint32_t(current_.joins.size()));
    if (fresh) {
        Join made;
        made.name = kind == 'b'   ? fmt::format("barrier {}", id)
                    : kind == 'c' ? "cluster barrier"
                                  : mbarriers_.emplace(id, fmt::format("mbarrier {}", id)).first->second;
        made.at = kind == 'm' ? Join::At::mbarrier : kind == 'c' ? Join::At::cluster : Join::At::barrier;
        if (kind == 'm')
            made.phase = phase;
        current_.joins.push_back(std::move(made));
    }
    return found->second;
}

// --- registers ------------------------------------------------------------------------------------------------------

uint32_t Recorder::add_access(Event::Kind kind, const Warp& warp, uint32_t mask, uint32_t bytes) {
    WarpLog& mine = log(warp);
    constexpr uint64_t near = 8; // instructions; loads of one batch are one event
    const Counts since = mine.now - mine.counted;
    if (mine.last != none && since.issue <= near)
        if (Event& last = current_.events[mine.last]; last.kind == kind) {
            last.bytes += bytes;
            last.issue += uint32_t(since.issue);
            last.branches += uint32_t(since.branches);
            last.steps += uint32_t(since.steps);
            last.wavefronts += uint32_t(since.wavefronts);
            mine.counted = mine.now;
            return mine.last;
        }
    const uint32_t event = add(kind, warp, mask, bytes);
    mine.loads = kind == Event::Kind::load || kind == Event::Kind::load_shared;
    return event;
}

void Recorder::access(Exec& x, const events::Access& access, events::Reports&) {
    using Kind = events::Access::Kind;
    const bool mine = ours(x), global = access.space == ptx::Space::global;
    if (global && in_launch(x.warp)) {
        const auto sectors = moved(access, mine ? &cached_ : nullptr);
        const bool store = access.kind == Kind::store;
        const uint32_t event = mine ? add_access(store ? Event::Kind::store : Event::Kind::load, x.warp, access.mask,
                                                 uint32_t(sectors.size() * sector))
                                    : none;
        if (!store) {
            for (const uint64_t one : sectors)
                reuse_.piece(one * sector, sector);
            reuse_.loaded(event);
        }
    } else if (mine && !global) {
        log(x.warp).chains.shared(access);
        if (access.kind == Kind::load)
            add_access(Event::Kind::load_shared, x.warp, access.mask, 0);
        else if (log(x.warp).loads)
            add(Event::Kind::store, x.warp, access.mask);
    }
}

// --- barriers of the block and the cluster --------------------------------------------------------------------------

void Recorder::at_barrier(Exec& x) {
    ours(x);
}

void Recorder::barrier_arrive(Warp& warp, uint32_t mask, uint32_t id) {
    if (ours(warp)) {
        const uint32_t event = add(Event::Kind::arrive, warp, mask);
        log(warp).barrier_place = place(warp);
        if (event != none)
            current_.joins[join('b', id, generations_[id])].events.push_back(event);
    }
}

void Recorder::barrier_complete(Block& block, uint32_t id) {
    if (&block == block_)
        ++generations_[id];
}

void Recorder::barrier_release(Warp& warp, uint32_t mask, uint32_t id) {
    if (ours(warp)) {
        const uint32_t event = add(Event::Kind::wait, warp, mask, 0, join('b', id, generations_[id] - 1));
        if (event != none)
            current_.events[event].place = log(warp).barrier_place;
    }
}

void Recorder::cluster_arrive(Warp& warp, uint32_t mask, bool) {
    if (ours(warp))
        if (const uint32_t event = add(Event::Kind::arrive, warp, mask); event != none)
            current_.joins[join('c', 0, generations_[cluster_barrier])].events.push_back(event);
}

void Recorder::cluster_complete(Block& any) {
    if (block_ && &any.grid == grid_ && any.cluster == block_->cluster)
        ++generations_[cluster_barrier];
}

void Recorder::cluster_release(Warp& warp, uint32_t mask, bool) {
    if (ours(warp) && generations_[cluster_barrier])
        add(Event::Kind::wait, warp, mask, 0, join('c', 0, generations_[cluster_barrier] - 1));
}

} // namespace sim::timeline
