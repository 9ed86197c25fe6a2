#include "sim/protocol/recorder.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "sim/machine/exec.h"
#include "sim/machine/grid.h"

namespace sim::protocol {
namespace {

constexpr size_t most_operations = 1'000'000;   // of a cluster, 64 bytes each
constexpr size_t most_at_a_time = 4'000'000;    // of all clusters that run
constexpr size_t most_strong_accesses = 50'000; // of a cluster

uint64_t warp_key(uint32_t block, uint32_t warp) {
    return uint64_t{block} << 32 | warp;
}

} // namespace

Recorder::Cluster& Recorder::of(machine::Block& block) {
    if (&block == last_block_)
        return *last_;
    auto& found = clusters_[&block];
    if (!found) {
        found = std::make_shared<Cluster>();
        found->grid = &block.grid;
        for (uint32_t rank = 0; rank < block.grid.blocks_per_cluster; ++rank) {
            machine::Block* peer = block.grid.cluster_block(block, rank);
            found->record.blocks.push_back({peer ? peer->linear : 0, peer ? peer->threads : 0});
            if (peer) {
                clusters_[peer] = found;
                ++found->running;
            }
        }
    }
    last_block_ = &block;
    last_ = clusters_[&block].get();
    return *last_;
}

uint32_t Recorder::object(Cluster& cluster, Object object, uint64_t key) {
    const auto [at, added] = cluster.objects.try_emplace(key, uint32_t(cluster.record.objects.size()));
    if (added) {
        cluster.notable = cluster.notable || object.type != Object::Type::named || object.number;
        cluster.record.objects.push_back(std::move(object));
    }
    return at->second;
}

/// Lanes that come one after the other to the same wait are together on a GPU, where their branch has joined. If the
/// lanes that came first have done nothing since, they come with the others.
void Recorder::join_lanes(Cluster& cluster, Operation& wait) {
    const size_t which = size_t{wait.block} * 32 + wait.warp;
    if (wait.mask == ~0u || cluster.last.size() <= which)
        return;
    auto& last = cluster.last[which];
    machine::for_lanes(~wait.mask, [&](int lane) {
        const uint32_t number = last[size_t(lane)];
        if (number == none)
            return;
        Operation& before = cluster.record.operations[number];
        bool still_there = true;
        machine::for_lanes(before.mask, [&](int other) { still_there = still_there && last[size_t(other)] == number; });
        if (before.kind != Kind::wait || before.pc != wait.pc || before.object != wait.object ||
            before.phase != wait.phase || (before.mask & wait.mask) || !still_there)
            return;
        wait.mask |= before.mask;
        before.kind = Kind::poll;
    });
}

uint32_t Recorder::push(Cluster& cluster, Operation operation) {
    auto& all = cluster.record.operations;
    if (all.size() >= most_operations || kept_ >= most_at_a_time) {
        cluster.record.complete = false;
        return none;
    }
    ++kept_;
    const size_t which = size_t{operation.block} * 32 + operation.warp;
    while (cluster.last.size() <= which)
        cluster.last.emplace_back().fill(none);
    machine::for_lanes(operation.mask, [&](int lane) { cluster.last[which][size_t(lane)] = uint32_t(all.size()); });
    all.push_back(operation);
    return uint32_t(all.size() - 1);
}

void Recorder::named(machine::Block& block, uint32_t id, uint32_t offset) {
    const machine::DecodedFunction& kernel = *block.grid.entry;
    object(of(block),
           {Object::Type::mbarrier, block.cluster_rank, offset,
            "the mbarrier " + kernel.module->barrier_name(*kernel.function, offset)},
           id);
}

uint64_t Recorder::add(machine::Warp& warp, uint32_t mask, const events::BarrierOperation& what) {
    Cluster& cluster = of(warp.block);
    Operation operation{what};
    operation.block = warp.block.cluster_rank;
    operation.warp = warp.id;
    operation.mask = mask;
    constexpr uint64_t other_keys = uint64_t{1} << 40; // mbarriers have 32-bit ids
    switch (what.kind) {
    case Kind::block_barrier:
        operation.object = object(
            cluster,
            {Object::Type::named, operation.block, what.object,
             what.object < 16 ? fmt::format("the block barrier {}", what.object) : "the meeting of the warpgroup"},
            other_keys + operation.block * 64 + what.object);
        break;
    case Kind::cluster_arrive:
    case Kind::cluster_wait:
        operation.object = object(cluster, {Object::Type::cluster, 0, 0, "the cluster barrier"}, other_keys - 1);
        break;
    case Kind::meet:
    case Kind::exit:
    case Kind::strong:
    case Kind::registers:
        operation.object = none;
        break;
    default: {
        const auto found = cluster.objects.find(what.object);
        if (found == cluster.objects.end()) {
            cluster.record.complete = false;
            return 1;
        }
        operation.object = found->second;
    }
    }
    // Lanes that have done the same since they last met need not meet again.
    const size_t which = size_t{operation.block} * 32 + operation.warp;
    if (cluster.apart.size() <= which)
        cluster.apart.resize(which + 1);
    const bool whole = mask == warp.alive();
    if (which < cluster.met.size())
        cluster.met[which] = 0;
    if (what.kind == Kind::meet) {
        if (!cluster.apart[which])
            return 1;
        cluster.apart[which] = !whole;
    } else if (!whole) {
        cluster.apart[which] = 1;
    }
    if (what.kind == Kind::poll || what.kind == Kind::wait) {
        // Each unsuccessful wait is repeated until it succeeds, or the program has done something else instead.
        uint32_t& open = cluster.unanswered[warp_key(operation.block, operation.warp) << 20 | operation.object];
        open = what.kind == Kind::poll ? open | mask : open & ~mask;
        if (what.kind == Kind::poll)
            return 1;
    }
    if (what.kind == Kind::wait)
        join_lanes(cluster, operation);
    const uint32_t number = push(cluster, operation);
    return number == none ? UINT64_MAX : uint64_t{number} + 1;
}

// As if the warps met at a barrier: none of them goes on before all have come.
void Recorder::warpgroup(machine::Warp& first, uint32_t pc) {
    constexpr uint32_t warps = 4, first_number = 16; // behind the named barriers
    Cluster& cluster = of(first.block);
    const size_t which = size_t{first.block.cluster_rank} * 32 + first.id;
    cluster.met.resize(std::max(cluster.met.size(), which + warps));
    if (std::all_of(cluster.met.begin() + long(which), cluster.met.begin() + long(which + warps),
                    [](uint8_t met) { return met != 0; }))
        return;
    const uint32_t number = first_number + first.id / warps;
    const uint32_t meeting = cluster.meetings[first.block.cluster_rank * 64 + number]++;
    for (uint32_t i = 0; i < warps; ++i) {
        machine::Warp& warp = *first.block.warps[first.id + i];
        add(warp, warp.alive(),
            {.kind = Kind::block_barrier,
             .waits = true,
             .pc = pc,
             .object = number,
             .amount = warps * 32,
             .threads = 32,
             .phase = meeting});
        cluster.met[which + i] = 1;
    }
}

void Recorder::landed(machine::Block& issuer, uint64_t issued, const events::BarrierOperation& what) {
    Cluster& cluster = of(issuer);
    const auto found = cluster.objects.find(what.object);
    if (issued == 0 || issued > cluster.record.operations.size() || found == cluster.objects.end()) {
        cluster.record.complete = false;
        return;
    }
    Operation operation = cluster.record.operations[issued - 1];
    static_cast<events::BarrierOperation&>(operation) = what;
    operation.object = found->second;
    operation.issue = uint32_t(issued - 1);
    push(cluster, operation);
}

// Strong accesses to one address stay in the order of this run. A poll that is repeated counts once.
void Recorder::strong(machine::Warp& warp, uint32_t mask, std::span<std::byte* const, 32> at, bool reads, bool writes,
                      bool global, uint32_t pc) {
    Cluster& cluster = of(warp.block);
    if (!cluster.notable)
        return;
    others_matter_ = others_matter_ || global;
    if (++cluster.strong_accesses > most_strong_accesses) {
        cluster.record.decides = true;
        return;
    }
    Operation operation{{.kind = Kind::strong, .reads = reads, .pc = pc, .object = none}};
    operation.block = warp.block.cluster_rank;
    operation.warp = warp.id;
    operation.mask = mask;
    const auto key = warp_key(operation.block, operation.warp);
    const auto& all = cluster.record.operations;
    const bool again = !all.empty() && all.back().kind == Kind::strong && all.back().pc == pc &&
                       all.back().mask == mask && warp_key(all.back().block, all.back().warp) == key && !writes;
    const uint32_t number = again ? uint32_t(all.size() - 1) : push(cluster, operation);
    if (number == none)
        return;
    std::vector<uint32_t> before;
    machine::for_lanes(mask, [&](int lane) {
        const std::byte* address = at[size_t(lane)];
        const auto [last, first] = cluster.strong.try_emplace(address, Cluster::Last{number, !writes});
        // Two reads may come in either order; and a read that has seen an old value is as good as none.
        if (!first && last->second.operation != number && !last->second.read)
            before.push_back(last->second.operation);
        if (first || writes)
            last->second = {number, !writes};
        if (!global)
            return;
        const Cluster*& writer = writers_[address];
        if (reads && writer != &cluster) // it may be an answer to whatever this cluster has sent
            for (const auto& [from, sent] : cluster.sent)
                if (from != key)
                    before.push_back(sent);
        if (writes) {
            writer = &cluster;
            cluster.sent[key] = number;
        }
    });
    std::ranges::sort(before);
    const auto first = std::unique(before.begin(), before.end()), last = before.end();
    before.erase(first, last);
    for (const uint32_t earlier : before)
        if (earlier < number)
            cluster.record.ordered.emplace_back(number, earlier);
}

void Recorder::ended(machine::Block& block, bool normal) {
    const auto found = clusters_.find(&block);
    if (found == clusters_.end())
        return;
    const std::shared_ptr<Cluster> cluster = found->second;
    clusters_.erase(found);
    if (cluster->running == 1)
        kept_ -= cluster->record.operations.size();
    last_block_ = nullptr;
    cluster->normal = cluster->normal && normal;
    if (--cluster->running)
        return;
    cluster->record.decides = cluster->record.decides ||
                              std::ranges::any_of(cluster->unanswered, [](const auto& one) { return one.second != 0; });
    if (cluster->normal)
        take_(cluster->record, *cluster->grid);
    for (auto& [address, writer] : writers_)
        if (writer == cluster.get())
            writer = nullptr;
}

void Recorder::forget(const machine::Grid& grid) {
    last_block_ = nullptr;
    for (const auto& block : grid.resident) {
        const auto found = clusters_.find(block.get());
        if (found == clusters_.end())
            continue;
        if (--found->second->running == 0)
            kept_ -= found->second->record.operations.size();
        clusters_.erase(found);
    }
}

} // namespace sim::protocol
