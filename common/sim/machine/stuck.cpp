// Grids that never end: nothing can run any more, or threads run and nothing changes. If program counters and the
// registers that decide where they go return to earlier values while memory has not changed, they will do so for ever.
#include <algorithm>
#include <bit>
#include <span>

#include <fmt/format.h>

#include "sim/machine/exec.h"
#include "sim/machine/instruction.h"
#include "sim/machine/loop.h"
#include "sim/machine/polls.h"

namespace sim::machine {
namespace {

constexpr uint64_t quiet_cycles = 1u << 18; // warp instructions without effect before anybody looks
constexpr uint64_t long_quiet = 1u << 27;   // from here on, loops that poll are not thought to give up by themselves
constexpr uint32_t many_polls = 512;        // of each warp
constexpr uint32_t patient_polls = 1 << 10; // of each warp, if it counts them, and so may give up by itself
constexpr uint32_t loop_length = 4096;      // instructions of a loop that are looked at

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

uint64_t state_of(const Warp& warp, LoopsSeen& seen) {
    uint64_t hash = warp.exited;
    if (warp.fragments.size() > 1)
        hash = mix(hash, uint64_t{warp.starvation} << 8 | warp.current);
    for (const auto& fragment : warp.fragments) {
        hash = mix(hash, uint64_t{fragment.mask} << 32 | fragment.pc);
        hash = mix(hash, uint64_t(fragment.wait.kind));
        uint32_t pc = fragment.pc;
        for (const Frame* frame = fragment.frame; frame; frame = frame->parent) {
            for (const auto& [begin, end] : seen.deciding(*frame->function, pc))
                for (uint32_t at = begin; at + 4 <= end; at += 4) {
                    uint32_t word;
                    std::memcpy(&word, frame->data + at, 4);
                    hash = mix(hash, word);
                }
            if (frame->parent)
                pc = uint32_t(frame->call - frame->parent->function->ops.data());
        }
    }
    return hash;
}

/// Can the warp, once it has run, not come back to where it is? Its registers are many, and need not be looked at.
bool outside_loops(const Warp& warp, LoopsSeen& seen) {
    if (warp.fragments.size() != 1 || !warp.fragments.front().ready())
        return false;
    uint32_t pc = warp.fragments.front().pc;
    for (const Frame* frame = warp.fragments.front().frame; frame; frame = frame->parent) {
        if (!seen.outside_loops(*frame->function, pc))
            return false;
        if (frame->parent)
            pc = uint32_t(frame->call - frame->parent->function->ops.data());
    }
    return true;
}

// A warp that sleeps (nanosleep) runs again, although it is not runnable at the moment.
bool will_run(const Warp& warp) {
    return std::any_of(warp.fragments.begin(), warp.fragments.end(), [](const Fragment& fragment) {
        return fragment.ready() || fragment.wait.kind == Wait::Kind::sleep;
    });
}

} // namespace

bool Polls::in_vain(const Grid& grid, LoopsSeen& loops) {
    if (const uint64_t effects = grid.activity + grid.beside.activity; activity_ != effects) {
        activity_ = effects;
        counts_.clear();
    }
    size_t number = 0;
    uint32_t fewest = UINT32_MAX;
    for (const auto& block : grid.resident)
        for (const auto& warp : block->warps) {
            counts_.resize(std::max(counts_.size(), ++number));
            if (!will_run(*warp))
                continue;
            uint32_t& count = counts_[number - 1];
            for (const auto& fragment : warp->fragments) {
                if (fragment.ready()) { // its turn was over before it came to a wait: it computes
                    counts_.clear();
                    return false;
                }
                count += fragment.wait.kind == Wait::Kind::sleep && fragment.wait.address;
            }
            fewest = std::min(fewest, count);
        }
    if (fewest == UINT32_MAX || fewest < many_polls)
        return false;
    return fewest >= patient_polls || std::ranges::none_of(grid.resident, [&](const auto& block) {
               return std::ranges::any_of(block->warps, [&](const auto& warp) {
                   return std::ranges::any_of(warp->fragments, [&](const Fragment& fragment) {
                       return loops.may_give_up(*fragment.frame->function, fragment.pc);
                   });
               });
           });
}

bool Grid::spinning() {
    if (effects() != spin_.activity) {
        spin_.steps = 0;
        spin_.loops.patient = true;
        spin_.activity = effects();
        spin_.since = statistics.warp_instructions;
    }
    const uint64_t quiet = statistics.warp_instructions - spin_.since; // not cycles: an unsuccessful poll costs many
    if (quiet < quiet_cycles)
        return false;
    if (spin_.loops.patient && quiet > long_quiet) {
        spin_.loops.patient = false;
        spin_.steps = 0;
    }
    const auto all_warps = [this](auto&& f) {
        return std::ranges::all_of(resident, [&](const auto& block) {
            return std::ranges::all_of(block->warps, [&](const auto& warp) { return f(*warp); });
        });
    };
    // Mostly the first warp has moved on, and nothing need be known of the others.
    size_t number = 0;
    if (spin_.steps && all_warps([&](const Warp& warp) {
            if (number == spin_.states.size())
                return false;
            const Spin::State& before = spin_.states[number++];
            return before.hash == (warp.done() ? 0 : state_of(warp, spin_.loops)) &&
                   (!will_run(warp) || warp.instructions != before.instructions);
        }))
        return true;
    // Brent: remember the state at steps 1, 2, 4, 8 …
    if (std::has_single_bit(++spin_.steps)) {
        spin_.states.clear();
        const bool may_repeat = all_warps([&](const Warp& warp) {
            if (outside_loops(warp, spin_.loops))
                return false;
            spin_.states.push_back({warp.done() ? 0 : state_of(warp, spin_.loops), warp.instructions});
            return true;
        });
        if (!may_repeat)
            spin_.states.clear();
    }
    return false;
}

Outcome Grid::endless(const std::string& table) {
    for (auto& block : resident)
        for (auto& warp : block->warps) {
            if (!warp->runnable())
                continue;
            const uint64_t before = state_of(*warp, spin_.loops);
            uint32_t first = UINT32_MAX, mask = 0;
            const DecodedFunction* where_it_runs = nullptr;
            bool asks = false, again = false;
            for (uint32_t i = 0; i < loop_length && !again && !asks; ++i) {
                std::array<std::pair<const DecodedFunction*, uint32_t>, 32> places{};
                for (size_t f = 0; f < warp->fragments.size(); ++f)
                    places[f] = {warp->fragments[f].frame->function, warp->fragments[f].pc};
                if (!run_warp(*warp, 1) || !outcome_)
                    break;
                const auto [function, pc] = places[warp->current];
                asks = asks || !function || asks_others(function->ops[pc]);
                if (function && (pc < first || function != where_it_runs)) {
                    first = pc;
                    where_it_runs = function;
                    mask = warp->current < warp->fragments.size() ? warp->fragments[warp->current].mask : 0;
                }
                again = state_of(*warp, spin_.loops) == before;
            }
            if (asks || !again || !where_it_runs)
                continue;
            Outcome outcome{Fault::runaway,
                            fmt::format("Threads of warp {} of block {} loop forever at {}: nothing in the "
                                        "loop reads memory or tests a barrier, so its condition cannot change. "
                                        "Either the compiler moved the test out of the loop, or there is none.",
                                        warp->id, block->linear, where(*where_it_runs, first))};
            if (listener)
                listener->misuse(warp.get(), mask, &where_it_runs->ops[first],
                                 events::Stopped{events::Stopped::Why::endless_loop, outcome.message});
            return outcome;
        }
    return stuck(table);
}

bool Grid::force(Wait::Kind kind) {
    bool any = false;
    for (auto& block : resident)
        for (auto& warp : block->warps) {
            uint32_t on_mbarrier = 0;
            for (const auto& fragment : warp->fragments)
                if (fragment.wait.asks_mbarrier())
                    on_mbarrier |= fragment.mask;
            for (auto& fragment : warp->fragments) {
                // Lanes that wait for a phase may still come to the collective; others never will.
                if (fragment.wait.kind != kind ||
                    (kind == Wait::Kind::collective && (fragment.wait.member & on_mbarrier)))
                    continue;
                fragment.wait.kind = Wait::Kind::none;
                fragment.wait.forced = true;
                any = true;
            }
        }
    return any;
}

std::string Grid::waits_for(const Block& block, const Warp& warp, const Fragment& fragment) const {
    switch (fragment.wait.kind) {
    case Wait::Kind::barrier: {
        const auto& barrier = block.barriers[fragment.wait.id];
        const std::string exited = !block.exited      ? ""
                                   : !barrier.counted ? fmt::format(", {} have exited", block.exited)
                                                      : fmt::format(", {} have exited and do not count", block.exited);
        return fmt::format("waits at block barrier {} ({} of {} threads have arrived{})", fragment.wait.id,
                           barrier.arrived, barrier.expected, exited);
    }
    case Wait::Kind::collective:
        if (const uint32_t lanes = fragment.wait.member & warp.alive() & ~fragment.mask)
            return fmt::format("waits for lanes {:#010x} of its warp", lanes);
        return "waits for the other warps of its warpgroup";
    case Wait::Kind::cluster:
        return "waits at the cluster barrier";
    case Wait::Kind::mbarrier:
    case Wait::Kind::tensor_memory:
        return block.async->describe(warp, fragment);
    default: // an unsuccessful poll leaves its address behind
        if (fragment.wait.address)
            return block.async->describe(warp, fragment);
        const LockSpin spin = spin_on_lock(*this, warp, fragment.mask);
        if (const Spin::Poll* poll = spin.text.empty() ? poll_of(warp, fragment.mask) : nullptr)
            return poll->text;
        return spin.text.empty() ? "running" : spin.text;
    }
}

std::string Grid::waiting_table() const {
    struct Row {
        uint64_t block;
        uint32_t first_warp, last_warp, mask;
        std::string what;
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> rows;
    for (const auto& block : resident)
        for (const auto& warp : block->warps)
            for (const auto& fragment : warp->fragments) {
                const Row row{block->linear, warp->id, warp->id, fragment.mask,
                              fmt::format("at {}: {}", where(*fragment.frame->function, fragment.pc),
                                          waits_for(*block, *warp, fragment))};
                // Neighbouring warps at the same place share a row.
                const auto same = std::ranges::find_if(rows, [&](const Row& other) {
                    return other.block == row.block && other.last_warp + 1 == row.first_warp &&
                           other.mask == row.mask && other.what == row.what;
                });
                if (same != rows.end())
                    same->last_warp = row.last_warp;
                else
                    rows.push_back(row);
            }
    constexpr size_t most = 12;
    std::string table;
    for (const auto& row : std::span(rows).first(std::min(rows.size(), most))) {
        table += fmt::format("\n  block {} warp{}", row.block, row.first_warp == row.last_warp ? " " : "s ");
        table += row.first_warp == row.last_warp ? fmt::format("{}", row.first_warp)
                                                 : fmt::format("{}-{}", row.first_warp, row.last_warp);
        if (row.mask != UINT32_MAX)
            table += fmt::format(" lanes {:#010x} (thread {} first)", row.mask,
                                 row.first_warp * 32 + uint32_t(std::countr_zero(row.mask)));
        table += " " + row.what;
    }
    if (rows.size() > most)
        table += fmt::format("\n  and {} more", rows.size() - most);
    return table;
}

/// Lanes that ask for a lock of which the holder waits for them, in whatever warp; nullptr: there are none. `warp`:
/// theirs.
const Fragment* Grid::lock_in_warp(Warp*& warp) const {
    for (const auto& block : resident)
        for (const auto& candidate : block->warps)
            for (const auto& fragment : candidate->fragments)
                if (fragment.ready() && spin_on_lock(*this, *candidate, fragment.mask).in_warp) {
                    warp = candidate.get();
                    return &fragment;
                }
    return nullptr;
}

Outcome Grid::stuck(const std::string& table) {
    Outcome outcome{Fault::deadlock, "no thread can make progress:" + table};
    if (listener) {
        // Threads at a barrier wait for the others: report a thread that waits for an mbarrier phase, if there is one.
        Warp* warp = nullptr;
        const Fragment* at = nullptr;
        for (const auto& block : resident)
            for (const auto& candidate : block->warps)
                for (const auto& fragment : candidate->fragments)
                    if (!at || (fragment.wait.asks_mbarrier() && !at->wait.asks_mbarrier())) {
                        warp = candidate.get();
                        at = &fragment;
                    }
        const Fragment* spins = at && at->wait.asks_mbarrier() ? nullptr : lock_in_warp(warp);
        using Of = events::Stopped::Of;
        Of of = spins ? Of::lock_in_warp : Of::other;
        at = spins ? spins : at;
        if (const Spin::Poll* poll = at && of == Of::other && !spin_.polls.empty() ? &spin_.polls.front() : nullptr;
            poll && !at->wait.asks_mbarrier()) {
            of = poll->grid_barrier ? Of::grid_barrier : Of::flag;
            for (const auto& block : resident)
                for (const auto& candidate : block->warps)
                    for (const auto& fragment : candidate->fragments)
                        if (candidate.get() == poll->warp && (fragment.mask & poll->mask)) {
                            warp = candidate.get();
                            at = &fragment;
                        }
        }
        listener->misuse(warp, at ? at->mask : 0, at ? &at->frame->function->ops[at->pc] : nullptr,
                         events::Stopped{events::Stopped::Why::deadlock, outcome.message, of});
    }
    return outcome;
}

void Grid::leave(Block& block) {
    if (is_part_ && !block.cluster_rank)
        stays_.push_back({block.started_as / blocks_per_cluster, turns - block.first_turn});
    if (log)
        log->ended(block, bool(outcome_));
    if (listener)
        listener->block_end(block);
    using Trigger = Block::Trigger;
    if (block.trigger == Trigger::after_wait || (block.trigger == Trigger::none && block.waited_for_launches))
        ++statistics.triggered_after_wait;
}

void Grid::lose_copy(Block& block, uint32_t warp, uint32_t lane, uint32_t pc, std::string what,
                     const memory::Allocation* gone) {
    events::Stopped stopped{events::Stopped::Why::freed_memory, what};
    if (gone) {
        stopped.allocated_at = gone->allocated_at;
        stopped.freed_at = gone->freed_at;
    }
    if (listener)
        listener->memory_gone(*block.warps[warp], 1u << lane, pc, stopped);
    outcome_ = {Fault::illegal_address, std::move(what)};
}

} // namespace sim::machine
