#include "sim/provenance/provenance.h"

#include <algorithm>

#include "sim/machine/exec.h"

namespace sim::provenance {

using namespace events;
using machine::for_lanes;

namespace {

constexpr uint32_t word_bytes = 4;

/// Calls f(word) for each word that holds one of the bytes.
template <class Words, class F>
void for_words(Words& words, uint64_t offset, uint32_t bytes, F&& f) {
    if (!bytes)
        return;
    const uint64_t end = std::min<uint64_t>((offset + bytes - 1) / word_bytes + 1, words.size());
    for (uint64_t word = offset / word_bytes; word < end; ++word)
        f(words[word]);
}

const Range* range_of(const std::vector<Range>& ranges, uint64_t address) {
    for (const Range& range : ranges)
        if (address - range.address < range.bytes)
            return &range;
    return nullptr;
}

// `range`: the buffer at the global end.
uint8_t means_of(const MapUse& map, const Range* range) {
    const bool within = range && map.address - range->address < range->bytes;
    const auto bit = [](Means means) { return uint8_t(1u << unsigned(means)); };
    if (!map.used)
        return bit(Means::bulk);
    return bit(Means::tensor) | (map.swizzle ? bit(Means::swizzled) : 0) |
           (map.address_replaced && within ? bit(Means::device_map) : 0);
}

} // namespace

void Tracker::follow(Followed followed) {
    forget();
    for (auto* ranges : {&followed.inputs, &followed.results})
        std::erase_if(*ranges, [](const Range& range) { return range.bytes == 0; });
    followed_ = std::move(followed);
}

void Tracker::forget() {
    copies_.assign(1, {});
    running_.clear();
    ended_.clear();
    last_block_ = nullptr;
    origins_.clear();
    global_.clear();
    reloaded_ = reloaded_products_ = 0;
    epilogues_.clear();
}

const Range* Tracker::source(uint64_t address) const {
    return range_of(followed_.inputs, address);
}

const Range* Tracker::result(uint64_t address) const {
    return range_of(followed_.results, address);
}

uint32_t Tracker::new_copy(uint8_t means, bool followed) {
    const auto number = uint32_t(copies_.size());
    copies_.push_back({0, 0, means, follows_values() ? origins_.of_copy(number, followed) : 0});
    return number;
}

Tracker::BlockFlow& Tracker::of(const Block& block) {
    if (&block != last_block_) {
        last_block_ = &block;
        last_ = &running_[&block];
        last_->words.resize(block.shared.size() / word_bytes + 1);
        if (follows_values())
            last_->origins.resize(last_->words.size());
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
        node.mapped().origins = {};
        node.mapped().cells = {};
        for (WarpCopies& warp : node.mapped().warps)
            warp.registers = {};
        ended_.push_back(std::move(node.mapped()));
    }
}

// --- what is in shared memory ---------------------------------------------------------------------------------------

void Tracker::land(BlockFlow& block, uint32_t copy, uint64_t offset, uint32_t bytes) {
    copies_[copy].bytes += bytes;
    for_words(block.words, offset, bytes, [&](uint32_t& word) { word = copy; });
}

uint32_t Tracker::read(BlockFlow& block, uint64_t offset, uint32_t bytes) {
    uint32_t last = 0, words = 0;
    for_words(block.words, offset, bytes, [&](uint32_t& word) {
        if (!word)
            return;
        Copy& copy = copies_[word];
        copy.used += word_bytes;
        if (word != last && copy.stage != no_stage)
            note_read(block, copy.stage);
        last = word;
        word = 0;
        ++words;
    });
    return words;
}

// `keep`: what the words hold is changed, not replaced. So is a word of which only some bytes are written.
void Tracker::overwrite(BlockFlow& block, uint64_t offset, uint32_t bytes, Origin by, bool keep) {
    for_words(block.words, offset, bytes, [](uint32_t& word) { word = 0; });
    if (!follows_values())
        return;
    keep |= ((offset | bytes) & (word_bytes - 1)) != 0;
    for_words(block.origins, offset, bytes, [&](Origin& word) { word = keep ? origins_.join(word, by) : by; });
}

Origin Tracker::origin(const BlockFlow& block, uint64_t offset, uint32_t bytes) {
    Origin all = 0;
    if (follows_values())
        for_words(block.origins, offset, bytes, [&](const Origin& word) { all = origins_.join(all, word); });
    return all;
}

void Tracker::instruction(Exec& x, const Op& op) {
    WarpCopies& warp = of(x.block).warps[x.warp.id];
    warp.registers.step(x, op, origins_);
    if (op.source && op.source->opcode.starts_with("setmaxnreg")) {
        warp.register_limit = op.small;
        warp.raised = op.flags;
        warp.limited_at = spot_of(x.warp, x.mask);
    }
}

void Tracker::access(Exec& x, const Access& access, Reports&) {
    const bool values = follows_values();
    if (access.space != ptx::Space::shared) {
        if (values)
            global_access(x, access, of(x.block).warps[x.warp.id].registers);
        return;
    }
    if (copies_.size() == 1)
        return;
    BlockFlow& block = of(access.target ? *access.target : x.block);
    const bool stores = access.kind == Access::Kind::store, loads = !stores;
    const Origin by =
        values && access.kind != Access::Kind::load ? of(x.block).warps[x.warp.id].registers.stored(x, origins_) : 0;
    uint32_t words = 0;
    Origin loaded = 0;
    for_lanes(access.mask, [&](int lane) {
        const uint64_t offset = access.address[lane];
        if (loads) {
            words += read(block, offset, access.bytes);
            loaded = origins_.join(loaded, origin(block, offset, access.bytes));
        }
        if (access.kind != Access::Kind::load)
            overwrite(block, offset, access.bytes, by, !stores);
    });
    if (loaded)
        of(x.block).warps[x.warp.id].registers.loaded(x, loaded, origins_);
    if (words) {
        note_groups(of(x.block).warps[x.warp.id], words);
        note_stages(block, words);
    }
}

void Tracker::bulk_store(Exec& x, const BulkStore& store) {
    BlockFlow& block = of(x.block);
    uint64_t results = 0;
    for (const BulkBytes& piece : store.bytes) {
        read(block, piece.offset, piece.bytes);
        if (!follows_values() || !piece.inside)
            continue;
        const uint8_t means = means_of(store.map, result(piece.address));
        for (uint32_t at = 0; at < piece.bytes; at += word_bytes)
            write_global(piece.address + at, word_bytes, origin(block, piece.offset + at, word_bytes), means,
                         store.reduction);
        results += result(piece.address) ? piece.bytes : 0;
    }
    epilogues_.store(x.warp, results);
}

void Tracker::matrix_issue(Exec& x, const MatrixIssue& issue) {
    BlockFlow& block = of(x.block);
    Origin shared = 0;
    uint32_t words = 0;
    for (const MatrixOperand& operand : issue.operands)
        for (const BulkBytes& piece : operand.bytes) {
            words += read(block, piece.offset, piece.bytes);
            shared = origins_.join(shared, origin(block, piece.offset, piece.bytes));
        }
    if (words)
        note_stages(block, words);
    note_products(block, issue.first_warp, issue.index);
    note_turn(block, issue.first_warp);
    if (!follows_values())
        return;
    const Op& op = x.op();
    const auto sums = uint32_t(op.source->operands.front().elements.size());
    for (uint32_t i = issue.first_warp; i < issue.first_warp + 4; ++i)
        block.warps[i].sums = std::max(block.warps[i].sums, sums);
    for (uint32_t i = issue.first_warp; i < issue.first_warp + 4; ++i)
        for (const auto& fragment : x.block.warps[i]->fragments)
            if (&fragment.frame->function->ops[fragment.pc] == &op)
                block.warps[i].registers.multiplied(fragment, shared, origins_);
}

// --- cp.async -------------------------------------------------------------------------------------------------------

void Tracker::copy_issue(Exec& x, const CopyIssue& issue) {
    BlockFlow& block = of(x.block);
    uint32_t copy = 0;
    for_lanes(issue.mask, [&](int lane) {
        const uint32_t taken = issue.source_bytes[lane];
        overwrite(block, issue.destination[lane], issue.bytes);
        if (!taken)
            return;
        if (!is_followed(issue.source[lane])) {
            overwrite(block, issue.destination[lane], taken, global_origin(issue.source[lane], taken));
            return;
        }
        copy = copy ? copy : new_copy(1u << unsigned(Means::cp_async), true);
        overwrite(block, issue.destination[lane], taken, copies_[copy].origin);
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
    const uint32_t now = done[size_t(std::countr_zero(mask))];
    if (now <= copies.complete)
        return;
    const auto first = std::ranges::upper_bound(copies.committed, copies.complete);
    copies.waits.push_back({uint32_t(first - copies.committed.begin()), uint32_t(copies.committed.size())});
    copies.complete = now;
}

void Tracker::note_groups(WarpCopies& copies, uint32_t words) {
    const auto first = std::ranges::upper_bound(copies.committed, copies.complete);
    const std::pair now(uint32_t(first - copies.committed.begin()), uint32_t(copies.committed.size()));
    if (now.first != now.second && (copies.in_flight.empty() || copies.in_flight.back() != now))
        copies.in_flight.push_back(now);
    if (copies.waits.empty())
        return;
    GroupWait& wait = copies.waits.back();
    if (!wait.words || now.second > wait.read_last)
        wait.read_first = now.first, wait.read_last = now.second;
    wait.words += words;
    wait.words_beside += now.first != now.second ? words : 0;
}

void Tracker::land_piece(Exec& x, const BulkLoad& load, const BulkBytes& piece, uint32_t& copy) {
    BlockFlow& block = of(*load.destination);
    const auto land_as = [&](uint8_t means, bool followed, Origin also) {
        copy = copy ? copy : new_copy(means, followed);
        overwrite(block, piece.offset, piece.bytes, origins_.join(copies_[copy].origin, also), load.reduction);
        land(block, copy, piece.offset, piece.bytes);
    };
    if (load.source) {
        read(of(*load.source), piece.address, piece.bytes);
        land_as(1u << unsigned(Means::peer), false, origin(of(*load.source), piece.address, piece.bytes));
        return;
    }
    const Range* range = load.from_register || !piece.inside ? nullptr : source(piece.address);
    if (range) {
        const uint8_t multicast = load.multicast ? 1u << unsigned(Means::multicast) : 0;
        land_as(means_of(load.map, range) | multicast, true, 0);
        return;
    }
    Origin by = 0;
    if (load.from_register && follows_values())
        by = of(x.block).warps[x.warp.id].registers.stored(x, origins_);
    else if (piece.inside)
        by = global_origin(piece.address, piece.bytes);
    overwrite(block, piece.offset, piece.bytes, by, load.reduction);
}

void Tracker::bulk_load(Exec& x, const BulkLoad& load) {
    uint32_t copy = 0;
    for (const bool inside : {false, true}) // a word at the tensor's edge is in both
        for (const BulkBytes& piece : load.bytes)
            if (piece.inside == inside)
                land_piece(x, load, piece, copy);
    if (!copy || load.source || !load.barrier || !load.barrier->owner)
        return;
    BlockFlow& block = of(*load.barrier->owner);
    const uint32_t number = stage(block, *load.barrier);
    block.stages[number].copies.push_back(copy);
    if (load.barrier->owner == load.destination)
        copies_[copy].stage = number;
    if (load.barrier->owner == &x.block)
        issued(block, x.warp.id, 1u << load.lane, number);
}

// --- global memory --------------------------------------------------------------------------------------------------

Origin Tracker::global_origin(uint64_t address, uint32_t bytes) {
    Origin all = 0;
    for (uint64_t word = address / word_bytes; follows_values() && word <= (address + bytes - 1) / word_bytes; ++word) {
        const Word* found = global_.find(word * word_bytes);
        if (!found || !found->origin)
            continue;
        all = origins_.join(all, found->origin);
        if (origins_.is_landed(found->origin))
            (origins_.is_multiplied(found->origin) ? reloaded_products_ : reloaded_) += std::min(bytes, word_bytes);
    }
    return all;
}

void Tracker::write_global(uint64_t address, uint32_t bytes, Origin by, uint8_t means, bool keep) {
    keep |= ((address | bytes) & (word_bytes - 1)) != 0;
    const bool in_result = result(address) != nullptr;
    for (uint64_t word = address / word_bytes; word <= (address + bytes - 1) / word_bytes; ++word) {
        Word* found = by || in_result ? &global_.get(word * word_bytes) : global_.find(word * word_bytes);
        if (found)
            *found = {keep ? origins_.join(found->origin, by) : by, means, true};
    }
}

void Tracker::global_access(Exec& x, const Access& access, Registers& registers) {
    const bool stores = access.kind != Access::Kind::load, loads = access.kind != Access::Kind::store;
    const Origin by = stores ? registers.stored(x, origins_) : 0;
    Origin loaded = 0;
    uint64_t results = 0;
    for_lanes(access.mask, [&](int lane) {
        const uint64_t address = access.address[lane];
        if (loads && !is_followed(address))
            loaded = origins_.join(loaded, global_origin(address, access.bytes));
        if (!stores)
            return;
        write_global(address, access.bytes, by, 0, loads);
        results += result(address) ? access.bytes : 0;
    });
    epilogues_.store(x.warp, results);
    registers.loaded(x, loaded, origins_);
}

} // namespace sim::provenance
