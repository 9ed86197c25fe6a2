#include "sim/machine/grid.h"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "sim/machine/exec.h"
#include "sim/machine/watched.h"

namespace sim::machine {
namespace {

constexpr uint32_t slice = 96;             // warp instructions before another warp has its turn
constexpr uint32_t patience = 64;          // slices one fragment may run while others of its warp wait
constexpr uint64_t idle_cycles = 1u << 16; // warp instructions without effect before async work is pushed on
constexpr uint32_t forced_rounds = 16;     // times every wait is answered "not yet" before it is a deadlock

uint32_t resident_limit(const Properties& p, const LaunchConfig& config, uint32_t shared_bytes) {
    const auto threads = uint32_t(config.block.count() + 31) / 32 * 32;
    uint32_t per_sm = std::min({p.max_blocks_per_sm, p.max_threads_per_sm / std::max(threads, 1u),
                                p.shared_per_sm / std::max(shared_bytes, 1u)});
    per_sm = std::max(per_sm, 1u);
    return per_sm * p.sm_count;
}

} // namespace

Grid::Grid(const Options& opts, memory::GlobalMemory& mem, const Kernel& which, const LaunchConfig& launch,
           std::span<const std::byte> parameter_block, events::Listener* watcher,
           std::unique_ptr<BlockAsync> (*asynchronous_units)(Block&), Numbers& numbers)
    : options(opts), memory(mem), kernel(which), config(launch), listener(watcher), log(watcher ? opts.log : nullptr),
      conductor(watcher ? opts.conductor : nullptr), parameters(parameter_block.begin(), parameter_block.end()),
      next(numbers), random(opts.schedule.seed), asynchronous_units_(asynchronous_units) {
    entry = &which.module->decoded(*which.function);
    shared_bytes = which.module->shared_end(*which.function) + launch.dynamic_shared;
    largest_shared = which.module->largest_shared(*which.function);
    block_count_ = launch.grid.count();
    blocks_per_cluster = uint32_t(launch.cluster.count());
    limit_ = resident_limit(opts.properties, launch,
                            reserved_shared + which.module->static_shared(*which.function) + launch.dynamic_shared);
    if (launch.cooperative)
        limit_ = uint32_t(std::max<uint64_t>(limit_, block_count_));
    limit_ = std::max(limit_ / blocks_per_cluster, 1u) * blocks_per_cluster;
    // Programs that cancel clusters must be right whether none, some or all of them can be cancelled. With late
    // completions, those can be for which there is no room yet, or none: see cancel_cluster().
    if (const auto when = opts.schedule.completion;
        when != Schedule::Completion::lazy && !launch.cooperative && which.module->cancels_clusters())
        held_ = blocks_per_cluster *
                (when == Schedule::Completion::eager ? 1 : 1 + uint32_t(random() % (limit_ / blocks_per_cluster)));
}

Grid::~Grid() = default;

std::string Grid::where(const DecodedFunction& function, uint32_t pc) const {
    const auto frames = function.module->sources().frames(*function.function, pc);
    if (frames.chain.empty())
        return function.function->name;
    const auto& [file, line, column] = frames.chain[frames.shown].place;
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);
}

Dim3 Grid::index_of(uint64_t linear) const {
    // Blocks of one cluster are neighbours in this numbering, so that they become resident together.
    const Dim3 c = config.cluster, g = config.grid;
    const uint64_t cluster = linear / blocks_per_cluster, rank = linear % blocks_per_cluster;
    const uint64_t gx = g.x / c.x, gy = g.y / c.y;
    return {uint32_t(cluster % gx * c.x + rank % c.x), uint32_t(cluster / gx % gy * c.y + rank / c.x % c.y),
            uint32_t(cluster / (gx * gy) * c.z + rank / (uint64_t{c.x} * c.y))};
}

void Grid::start(uint64_t linear) {
    const Dim3 index = index_of(linear);
    resident.push_back(std::make_unique<Block>(*this, number_of(index), index));
    Block& block = *resident.back();
    block.started_as = linear;
    block.first_turn = turns;
    block.async = asynchronous_units_(block);
    if (!listener)
        return;
    listener->block_begin(block);
    if (listener->follows_values())
        for (auto& warp : block.warps)
            warp->pending.announce();
}

void Grid::admit() {
    for (size_t i = 0; i < resident.size();) {
        // A block leaves when it is done; blocks of a cluster leave together, since peers may reach into their memory.
        bool leaves = resident[i]->done();
        if (leaves && blocks_per_cluster > 1)
            for (const auto& other : resident)
                leaves = leaves && (other->cluster != resident[i]->cluster || other->done());
        if (!leaves) {
            ++i;
            continue;
        }
        const uint64_t cluster = resident[i]->cluster;
        for (const auto& block : resident) // while all of them are there: copies may land in a peer
            if (block->cluster == cluster)
                block->async->block_end();
        for (size_t j = 0; j < resident.size();)
            if (resident[j]->cluster == cluster) {
                leave(*resident[j]);
                resident.erase(resident.begin() + long(j));
            } else {
                ++j;
            }
        cluster_barriers_.erase(cluster);
        i = 0;
    }
    const bool started = next_block_ > 0; // a cooperative grid starts as a whole
    const uint32_t limit = held_ ? std::min(held_, limit_) : limit_;
    while (next_block_ < block_count_ && resident.size() + blocks_per_cluster <= limit &&
           (beside.taken == 0 || (config.cooperative && started) || beside.taken + taken() + needed() <= whole_device))
        for (uint32_t i = 0; i < blocks_per_cluster; ++i)
            start(next_block_++);
}

namespace {

// The fragment to run next: the deepest call first, then the lowest pc, so that lanes that fell behind catch up and
// merge; once in a while whichever has waited, so that no lane starves behind a spinning one.
size_t pick(Warp& warp) {
    if (warp.fragments.size() == 1)
        return warp.fragments[0].ready() ? 0 : SIZE_MAX;
    size_t best = SIZE_MAX;
    if (warp.starvation % (patience + 1) == patience) {
        const size_t first = warp.starvation / (patience + 1); // another one each time
        for (size_t i = 0; i < warp.fragments.size(); ++i) {
            const size_t candidate = (first + i) % warp.fragments.size();
            if (warp.fragments[candidate].ready())
                return candidate;
        }
        return best;
    }
    for (size_t i = 0; i < warp.fragments.size(); ++i) {
        const Fragment& fragment = warp.fragments[i];
        if (!fragment.ready())
            continue;
        if (best == SIZE_MAX || fragment.frame->depth > warp.fragments[best].frame->depth ||
            (fragment.frame->depth == warp.fragments[best].frame->depth && fragment.pc < warp.fragments[best].pc))
            best = i;
    }
    return best;
}

// Where the running fragment may meet another one of its frame.
uint32_t meeting_pc(const Warp& warp, size_t index) {
    uint32_t stop = UINT32_MAX;
    const Fragment& running = warp.fragments[index];
    for (size_t i = 0; i < warp.fragments.size(); ++i)
        if (i != index && warp.fragments[i].frame == running.frame && warp.fragments[i].pc > running.pc)
            stop = std::min(stop, warp.fragments[i].pc);
    return stop;
}

} // namespace

bool Grid::run_warp(Warp& warp, uint32_t budget) {
    bool ran = false;
    while (budget > 0 && !warp.done()) {
        for (auto& fragment : warp.fragments) {
            if (fragment.wait.kind == Wait::Kind::mbarrier && fragment.wait.ticket != warp.block.wakeups) {
                fragment.wait.ticket = warp.block.wakeups;
                if (warp.block.async->wait_over(fragment))
                    fragment.wait.kind = Wait::Kind::none;
            }
        }
        if (warp.fragments.size() > 1)
            warp.merge();
        const size_t index = pick(warp);
        if (index == SIZE_MAX)
            break;
        warp.current = index;
        Fragment& start = warp.fragments[index];
        Frame* frame = start.frame;
        const DecodedFunction& function = *frame->function;
        Exec x{{frame->data, const_cast<std::byte*>(function.constants.data()),
                reinterpret_cast<std::byte*>(warp.specials.get()), nullptr},
               0,
               index,
               warp,
               warp.block,
               *this,
               listener,
               &function};
        const Op* ops = function.ops.data();
        uint32_t pc = start.pc, active = start.mask;
        uint32_t stop = warp.fragments.size() > 1 ? meeting_pc(warp, index) : UINT32_MAX;
        uint64_t lanes = 0;
        ran = true;
        for (;;) {
            const Op& op = ops[pc];
            const uint32_t mask = active & (x.predicate(op.guard) ^ op.guard_flip);
            ++x.executed;
            Flow flow = Flow::next;
            if (mask) {
                lanes += uint32_t(std::popcount(mask));
                x.mask = mask;
                warp.fragments[index].pc = pc;
                if (warp.pending.watches()) [[unlikely]]
                    step_pending(x, op, pc, active);
                flow = op.run(x, op);
            } else if (warp.pending.watches()) [[unlikely]] {
                warp.fragments[index].pc = pc;
                skip_pending(x, op, pc, active);
            }
            --budget;
            if (flow == Flow::next) {
                ++pc;
                if (pc == stop || budget == 0) [[unlikely]] {
                    warp.fragments[index].pc = pc;
                    break;
                }
                continue;
            }
            if (flow == Flow::branch && warp.fragments.size() == 1 && warp.fragments[0].frame == frame && budget) {
                pc = warp.fragments[0].pc;
                active = warp.fragments[0].mask;
                continue;
            }
            if (flow == Flow::block) {
                if (x.mask != warp.fragments[index].mask)
                    warp.split(index, warp.fragments[index].mask & ~x.mask, pc + 1);
            } else if (flow == Flow::exit) {
                warp.fragments[index].pc = pc + 1; // of the lanes that the guard held back
                warp.block.async->lanes_exit(warp, x.mask);
                warp.exit(index, x.mask);
                ++activity;
                warp.block.check_barriers();
            } else if (flow == Flow::fault) {
                cycles += x.executed;
                warp.instructions += x.executed;
                warp.thread_instructions += lanes;
                outcome_ = {x.fault, fmt::format("{}: {}", where(function, pc), x.failure)};
                return true;
            }
            break;
        }
        cycles += x.executed;
        warp.instructions += x.executed;
        warp.thread_instructions += lanes;
        statistics.warp_instructions += x.executed;
        statistics.thread_instructions += lanes;
        const auto parts = uint32_t(warp.fragments.size());
        warp.starvation = parts > 1 ? (warp.starvation + 1) % ((patience + 1) * parts) : 0;
    }
    return ran;
}

namespace {

/// Those that sleep had to let the others have a turn; now it is theirs.
void wake_sleepers(Warp& warp) {
    for (auto& fragment : warp.fragments)
        if (fragment.wait.kind == Wait::Kind::sleep)
            fragment.wait.kind = Wait::Kind::none;
}

} // namespace

bool Grid::run_block(Block& block) {
    bool progress = false;
    const size_t count = block.warps.size();
    // While nothing changes, a fixed order lets spinning() see that everything repeats.
    const auto policy = spin_.steps ? Schedule::Warps::round_robin : options.schedule.warps;
    for (size_t i = 0; i < count && outcome_; ++i) {
        size_t which = (block.next_warp + i) % count;
        uint32_t budget = slice;
        if (policy == Schedule::Warps::one_ahead) {
            which = i;
            budget = slice * 64;
        } else if (policy == Schedule::Warps::random) {
            which = random() % count;
            budget = 1 + uint32_t(random() % slice);
        }
        Warp& warp = *block.warps[which];
        wake_sleepers(warp);
        if (run_warp(warp, budget))
            progress = true;
    }
    if (policy == Schedule::Warps::random && !progress)
        for (auto& warp : block.warps) {
            wake_sleepers(*warp);
            progress = run_warp(*warp, slice) || progress;
        }
    if (policy == Schedule::Warps::round_robin)
        block.next_warp = (block.next_warp + 1) % count;
    block.async->tick();
    return progress;
}

bool Grid::start_held() {
    if (!held_ || next_block_ == block_count_)
        return false;
    held_ = 0;
    admit();
    return true;
}

Grid::Turn Grid::no_progress() {
    depends_on_turns = true;
    if (start_held())
        return Turn::on;
    // Let every wait that may time out do so; after some rounds without any effect it is over.
    forced_ = forced_effects_ == effects() ? forced_ + 1 : 0;
    forced_effects_ = effects();
    bool woken = force(Wait::Kind::mbarrier);
    if (!woken || forced_ == 1)
        woken = force(Wait::Kind::collective) || woken;
    return woken && forced_ <= forced_rounds ? Turn::on : Turn::stuck;
}

Grid::Turn Grid::turn() {
    if (resident.empty() || beside.taken)
        admit();
    bool progress = false;
    for (size_t i = 0; i < resident.size() && outcome_; ++i)
        progress = run_block(*resident[i]) || progress;
    ++turns;
    if (outcome_)
        admit();
    if (!outcome_ || (resident.empty() && !not_started())) {
        leave();
        return Turn::ended;
    }
    if (statistics.thread_instructions + beside.instructions > options.max_instructions)
        return Turn::runaway;
    if (options.interrupt && *options.interrupt)
        return Turn::interrupted;
    if (effects() != last_effects_) {
        last_effects_ = effects();
        active_at_ = cycles;
    }
    const bool in_vain = progress && polls_.in_vain(*this, spin_.loops), for_ever = progress && (in_vain || spinning());
    // Copies that land at random moments may keep warps that ask for them busy for very long: not for ever.
    const bool late = options.schedule.completion == Schedule::Completion::random &&
                      statistics.thread_instructions > options.max_instructions / 8;
    if (progress && !for_ever && !late && cycles - active_at_ < idle_cycles)
        return Turn::on;
    active_at_ = cycles;
    if (for_ever && conductor) { // the program does something else than in the run that the order is from
        conductor = nullptr;
        return Turn::on;
    }
    bool completed = false; // asynchronous work may still change something
    for (auto& block : resident)
        completed = block->async->progress() || completed;
    depends_on_turns = depends_on_turns || (progress && completed);
    if (for_ever && !completed)
        return start_held() ? Turn::on : in_vain ? Turn::stuck : Turn::endless;
    return completed || progress ? Turn::on : no_progress();
}

void Grid::leave() {
    for (auto& block : resident) {
        if (outcome_)
            block->async->block_end();
        leave(*block);
    }
    resident.clear();
}

void Grid::give_up(Turn why, const std::string& table) {
    const uint64_t count = statistics.thread_instructions + beside.instructions;
    switch (why) {
    case Turn::runaway:
        // It may be endless, or only large: nothing is known that could be reported.
        outcome_ = {Fault::runaway,
                    fmt::format("stopped after {} thread-instructions, which is the limit; {}", count, table)};
        break;
    case Turn::interrupted:
        outcome_ = {Fault::runaway,
                    fmt::format("stopped while it ran, after {} thread-instructions; {}", count, table)};
        break;
    case Turn::endless:
        outcome_ = endless(table);
        break;
    default:
        outcome_ = stuck(table);
    }
    leave();
}

void Grid::abandon(const Outcome& why) {
    outcome_ = {why.fault, {}};
    leave();
}

} // namespace sim::machine
