#include "sim/provenance/provenance.h"

#include <algorithm>

#include "sim/machine/exec.h"

namespace sim::provenance {

using namespace events;
using machine::for_lanes;

namespace {

constexpr uint32_t word_bytes = 4;

/// Calls f(word) for each word that holds one of the bytes.
template <class F>
void for_words(std::vector<uint32_t>& words, uint64_t offset, uint32_t bytes, F&& f) {
    if (!bytes)
        return;
    const uint64_t end = std::min<uint64_t>((offset + bytes - 1) / word_bytes + 1, words.size());
    for (uint64_t word = offset / word_bytes; word < end; ++word)
        f(words[word]);
}

} // namespace

void Tracker::follow(std::vector<Range> sources) {
    forget();
    sources_ = std::move(sources);
}

void Tracker::forget() {
    copies_.assign(1, {});
    running_.clear();
    ended_.clear();
    last_block_ = nullptr;
}

bool Tracker::is_followed(uint64_t address) const {
    return std::ranges::any_of(sources_, [&](const Range& range) { return address - range.address < range.bytes; });
}

uint32_t Tracker::new_copy() {
    copies_.emplace_back();
    return uint32_t(copies_.size() - 1);
}

Tracker::BlockFlow& Tracker::of(const Block& block) {
    if (&block != last_block_) {
        last_block_ = &block;
        last_ = &running_[&block];
        last_->words.resize(block.shared.size() / word_bytes + 1);
        last_->warps.resize(block.warps.size());
    }
    return *last_;
}

void Tracker::block_begin(Block& block) {
    block_end(block);
}

void Tracker::block_end(Block& block) {
    last_block_ = nullptr;
    if (auto node = running_.extract(&block)) {
        node.mapped().words = {};
        ended_.push_back(std::move(node.mapped()));
    }
}

// --- what is in shared memory ---------------------------------------------------------------------------------------

void Tracker::land(BlockFlow& block, uint32_t copy, uint64_t offset, uint32_t bytes) {
    copies_[copy].bytes += bytes;
    for_words(block.words, offset, bytes, [&](uint32_t& word) { word = copy; });
}

bool Tracker::read(BlockFlow& block, uint64_t offset, uint32_t bytes) {
    bool any = false;
    for_words(block.words, offset, bytes, [&](uint32_t& word) {
        copies_[word].used += word ? word_bytes : 0;
        any |= word != 0;
        word = 0;
    });
    return any;
}

void Tracker::overwrite(BlockFlow& block, uint64_t offset, uint32_t bytes) {
    for_words(block.words, offset, bytes, [](uint32_t& word) { word = 0; });
}

void Tracker::access(Exec& x, const Access& access, Reports&) {
    if (access.space != ptx::Space::shared || copies_.size() == 1)
        return;
    BlockFlow& block = of(access.target ? *access.target : x.block);
    bool any = false;
    for_lanes(access.mask, [&](int lane) {
        if (access.kind == Access::Kind::store)
            overwrite(block, access.address[lane], access.bytes);
        else
            any |= read(block, access.address[lane], access.bytes);
    });
    if (any)
        note_groups(of(x.block).warps[x.warp.id]);
}

void Tracker::bulk_store(Exec& x, const BulkStore& store) {
    for (const BulkBytes& piece : store.bytes)
        read(of(x.block), piece.offset, piece.bytes);
}

void Tracker::matrix_issue(Exec& x, const MatrixIssue& issue) {
    for (const MatrixOperand& operand : issue.operands)
        for (const BulkBytes& piece : operand.bytes)
            read(of(x.block), piece.offset, piece.bytes);
}

// --- cp.async -------------------------------------------------------------------------------------------------------

void Tracker::copy_issue(Exec& x, const CopyIssue& issue) {
    BlockFlow& block = of(x.block);
    uint32_t copy = 0;
    for_lanes(issue.mask, [&](int lane) {
        const uint32_t taken = issue.source_bytes[lane];
        overwrite(block, issue.destination[lane], issue.bytes);
        if (!taken || !is_followed(issue.source[lane]))
            return;
        copy = copy ? copy : new_copy();
        land(block, copy, issue.destination[lane], taken);
    });
    block.warps[x.warp.id].copies.push_back(copy);
}

void Tracker::copy_commit(Warp& warp, uint32_t, uint32_t) {
    WarpCopies& copies = of(warp.block).warps[warp.id];
    copies.committed.push_back(uint32_t(copies.copies.size()));
}

void Tracker::copy_wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t, uint32_t) {
    WarpCopies& copies = of(x.block).warps[x.warp.id];
    copies.complete = std::max(copies.complete, done[size_t(std::countr_zero(mask))]);
}

void Tracker::note_groups(WarpCopies& copies) {
    const auto first = std::ranges::upper_bound(copies.committed, copies.complete);
    const std::pair now(uint32_t(first - copies.committed.begin()), uint32_t(copies.committed.size()));
    if (now.first != now.second && (copies.in_flight.empty() || copies.in_flight.back() != now))
        copies.in_flight.push_back(now);
}

// --- mbarriers ------------------------------------------------------------------------------------------------------

Tracker::Stage& Tracker::stage(BlockFlow& block, const Mbarrier& barrier) {
    for (auto stage = block.stages.rbegin(); stage != block.stages.rend(); ++stage)
        if (stage->open && stage->barrier == barrier.id && stage->phase == barrier.phase)
            return *stage;
    block.events.push_back(2 * uint32_t(block.stages.size()));
    return block.stages.emplace_back(Stage{barrier.id, barrier.phase, true, {}});
}

void Tracker::mbarrier_tracks(Warp& warp, uint32_t, const Mbarrier& barrier, uint32_t upto) {
    BlockFlow& block = of(warp.block);
    WarpCopies& copies = block.warps[warp.id];
    upto = std::min(upto, uint32_t(copies.copies.size()));
    if (copies.tracked >= upto)
        return;
    auto& tracked = stage(block, barrier).copies;
    tracked.insert(tracked.end(), copies.copies.begin() + copies.tracked, copies.copies.begin() + upto);
    copies.tracked = upto;
}

void Tracker::mbarrier_acquire(Warp&, uint32_t, Mbarrier& barrier, bool) {
    BlockFlow& block = of(*barrier.owner);
    constexpr size_t most_open = 64; // older ones are closed
    const size_t oldest = block.stages.size() > most_open ? block.stages.size() - most_open : 0;
    for (size_t i = oldest; i < block.stages.size(); ++i) {
        Stage& stage = block.stages[i];
        if (!stage.open || stage.barrier != barrier.id || stage.phase >= barrier.phase)
            continue;
        stage.open = false;
        block.events.push_back(2 * uint32_t(i) + 1);
    }
}

void Tracker::bulk_load(Exec&, const BulkLoad& load) {
    BlockFlow& block = of(*load.destination);
    uint32_t copy = 0;
    for (const BulkBytes& piece : load.bytes) {
        overwrite(block, piece.offset, piece.bytes);
        if (load.source)
            read(of(*load.source), piece.address, piece.bytes);
        if (load.source || load.from_register || !piece.inside || !is_followed(piece.address))
            continue;
        copy = copy ? copy : new_copy();
        land(of(*load.destination), copy, piece.offset, piece.bytes);
    }
    if (copy && load.barrier && load.barrier->owner)
        stage(of(*load.barrier->owner), *load.barrier).copies.push_back(copy);
}

// --- the account ----------------------------------------------------------------------------------------------------

uint64_t Tracker::used(std::span<const uint32_t> copies) const {
    uint64_t sum = 0;
    for (const uint32_t copy : copies)
        sum += copies_[copy].used;
    return sum;
}

uint32_t Tracker::groups(const WarpCopies& warp) const {
    std::vector<uint64_t> bytes;
    uint32_t begin = 0;
    for (const uint32_t end : warp.committed) {
        bytes.push_back(used(std::span(warp.copies).subspan(begin, end - begin)));
        begin = end;
    }
    const uint64_t best = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
    uint32_t most = 0;
    for (const auto& [first, last] : warp.in_flight)
        most = std::max(most, uint32_t(std::count_if(bytes.begin() + first, bytes.begin() + last,
                                                     [&](uint64_t b) { return b && 2 * b >= best; })));
    return most;
}

uint32_t Tracker::stages(const BlockFlow& block) const {
    std::vector<uint64_t> bytes;
    for (const Stage& stage : block.stages)
        bytes.push_back(used(stage.copies));
    const uint64_t best = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
    uint32_t open = 0, most = 0;
    for (const uint32_t event : block.events) {
        if (const uint64_t b = bytes[event / 2]; !b || 2 * b < best)
            continue;
        open += event % 2 ? -1u : 1u;
        most = std::max(most, open);
    }
    return most;
}

Flow Tracker::flow() const {
    Flow flow;
    for (const Copy& copy : copies_) {
        flow.copied += copy.bytes;
        flow.used += copy.used;
    }
    const auto add = [&](const BlockFlow& block) {
        for (const WarpCopies& warp : block.warps)
            flow.groups = std::max(flow.groups, groups(warp));
        flow.stages = std::max(flow.stages, stages(block));
    };
    for (const BlockFlow& block : ended_)
        add(block);
    for (const auto& [_, block] : running_)
        add(block);
    return flow;
}

} // namespace sim::provenance
