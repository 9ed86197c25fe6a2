#include "sim/detector/reductions.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sim/detector/core.h"
#include "sim/events/divisible.h"
#include "sim/machine/start_turns.h"

namespace sim::hazards {
namespace {

constexpr size_t most_words = 1u << 20, most_logged = 1u << 22; // of a part

/// A word as a part sends it.
struct Sent {
    uint64_t address;
    const events::Reduction* reduction; // the processes are copies of one
    uint64_t operand;                   ///< in any order: of one operation that does what all of them did
    uint32_t last;                      ///< how many of the list belong to it
};

struct Received {
    std::vector<Sent> words;
    std::vector<Reductions::Last> last;
    std::vector<Reductions::Logged> log;
    std::vector<machine::Grid::Stay> stays;

    explicit Received(std::string_view part) {
        events::Unpacker from(part);
        words = from.all<Sent>();
        last = from.all<Reductions::Last>();
        log = from.all<Reductions::Logged>();
        stays = from.all<machine::Grid::Stay>();
    }
};

/// The cell that stands for a word. nullptr: the page has none.
const Cell* cell_of(const memory::Allocation& allocation, uint64_t address) {
    const auto* shadow = static_cast<const GlobalShadow*>(allocation.shadow.get());
    const uint64_t offset = address - allocation.address;
    const GlobalShadow::Page* page = shadow ? &shadow->pages[offset / GlobalShadow::page_bytes] : nullptr;
    if (!page || !page->rows)
        return nullptr;
    const uint64_t in_page = offset % GlobalShadow::page_bytes, row = in_page / row_bytes;
    const auto in_row = uint32_t(in_page % row_bytes / 16);
    if (!page->rows[row].in_quads() && !page->is_apart(row, in_row))
        return &page->rows[row];
    const Cell& quad = page->quads[row * row_quads + in_row];
    return quad.split ? &shadow->pool.parts(quad)[in_page % 16 / 4] : &quad;
}

bool is_strong_read(const Reader& reader) {
    return kind_of(reader.epoch) == EpochKind::strong && !reader.wrote();
}

/// Has the last operation of the word, by a block of the part, been followed or accompanied by other accesses?
bool is_only_reduced(const GlobalShadow& shadow, const Cell* cell, const Ordering& ordering, const IsOwn& is_own) {
    const auto other = [&](const Reader& reader) {
        const uint64_t by = ordering.thread(reader.epoch);
        return !by || !is_own(block_of(by)) || (reader.wrote() && kind_of(reader.epoch) == EpochKind::strong);
    };
    return cell && (!cell->split || cell->in_spans) && kind_of(cell->write) == EpochKind::strong &&
           is_own(block_of(cell->write)) && all_readers(*cell, shadow.sets, other, true);
}

/// `by` has executed the last strong write of a word.
void record(Core& core, memory::Allocation& allocation, uint64_t address, const Reductions::Last& by) {
    GlobalShadow& shadow = core.shadow(allocation);
    const uint64_t offset = address - allocation.address;
    Cell& quad = GlobalCells{&shadow, allocation.address}(address);
    Cell& word = shadow.pool.split(quad)[offset % 16 / 4];
    if (word.split) {
        word.split = 0;
        return word.wrote(by.epoch, by.pc);
    }
    const WarpClock knows_nothing(block_of(by.epoch), warp_of(by.epoch), ~0u, 1, core.nothing);
    record_strong_write({core.ordering, knows_nothing, by.epoch, by.pc, false}, word, shadow.sets);
}

} // namespace

uint32_t& Reductions::number_of(uint64_t address) {
    const uint64_t word = address / 4;
    if (!last_page_ || last_number_ != word / page_words) {
        auto& page = pages_[word / page_words];
        if (!page)
            page = std::make_unique<Page>();
        last_page_ = page.get();
        last_number_ = word / page_words;
    }
    return (*last_page_)[word % page_words];
}

void Reductions::executed(Word& word, const Last& by) {
    // A block starts no earlier than those before it, and takes its turn after them.
    std::erase_if(word.last, [&](const Last& old) { return old.block <= by.block && old.turn <= by.turn; });
    word.last.push_back(by);
}

bool Reductions::add_lane(uint64_t address, const events::Access& access, const std::byte* operand, const Last& by) {
    const events::Reduction& reduction = *access.reduction;
    uint32_t number = number_of(address);
    if (!number) {
        Word word{address, &reduction, 0, {}};
        const memory::Allocation& allocation = *access.allocation;
        std::memcpy(&word.before, allocation.data + (address - allocation.address), reduction.bytes);
        words_.push_back(std::move(word));
        number_of(address) = number = uint32_t(words_.size());
        if (reduction.bytes == 8) {
            uint32_t& half = number_of(address + 4);
            if (half)
                return false;
            words_.push_back({address + 4, nullptr, 0, {}});
            half = uint32_t(words_.size());
        }
    }
    Word& word = words_[number - 1];
    if (word.reduction != &reduction)
        return false;
    executed(word, by);
    if (!reduction.in_any_order) {
        Logged one{0, number - 1, uint32_t(by.block), uint32_t(by.turn)};
        std::memcpy(&one.operand, operand, reduction.bytes);
        log_.push_back(one);
    }
    return true;
}

bool Reductions::add(machine::Exec& x, const events::Access& access, const WarpClock& warp) {
    using machine::Schedule;
    if (!access.reduction || access.bytes < 4 || access.semantics != events::Semantics::relaxed ||
        access.scope != events::Scope::gpu || x.grid.options.schedule.warps != Schedule::Warps::round_robin)
        return false;
    if (!in_part_)
        return true;
    bool fine = words_.size() < most_words && log_.size() < most_logged && x.grid.turns <= UINT32_MAX;
    machine::for_lanes(access.mask, [&](int lane) {
        const Last by{x.block.started_as, x.grid.turns - x.block.first_turn,
                      make_epoch(EpochKind::strong, warp.block, warp.warp, uint32_t(lane), warp.tick), x.pc()};
        fine = fine && add_lane(access.address[lane], access, access.stored + size_t(lane) * access.bytes, by);
    });
    return fine;
}

std::string Reductions::packed(const machine::Grid& grid, Core& core, const IsOwn& is_own) const {
    std::vector<Sent> words;
    std::vector<Last> last;
    std::vector<Logged> log = log_;
    std::vector<uint32_t> numbers; // of words that are sent
    for (const Word& word : words_) {
        numbers.push_back(uint32_t(words.size()));
        const memory::Allocation& allocation = *core.memory.find(word.address);
        if (!is_only_reduced(core.shadow(const_cast<memory::Allocation&>(allocation)),
                             cell_of(allocation, word.address), core.ordering, is_own))
            throw std::runtime_error("a block has used a word in two ways");
        if (!word.reduction)
            continue;
        Sent sent{word.address, word.reduction, 0, uint32_t(word.last.size())};
        if (word.reduction->in_any_order) {
            std::memcpy(&sent.operand, allocation.data + (word.address - allocation.address), word.reduction->bytes);
            word.reduction->since(reinterpret_cast<std::byte*>(&sent.operand),
                                  reinterpret_cast<const std::byte*>(&word.before));
        }
        words.push_back(sent);
        last.insert(last.end(), word.last.begin(), word.last.end());
    }
    for (Logged& one : log)
        one.word = numbers[one.word];
    events::Packer to;
    to.add_all(words);
    to.add_all(last);
    to.add_all(log);
    to.add_all(grid.stays());
    return to.take();
}

bool reductions_fit(const Core& core, std::span<const std::string_view> parts, const WordsInUse& others) {
    struct Use {
        const events::Reduction* reduction;
        uint64_t address;
        bool operator==(const Use&) const = default;
    };
    std::unordered_map<uint64_t, Use> uses;
    for (const std::string_view part : parts)
        for (const Sent& word : events::Unpacker(part).all<Sent>()) {
            const memory::Allocation& allocation = *core.memory.find(word.address);
            for (uint64_t at = word.address; at < word.address + word.reduction->bytes; at += 4) {
                const Use use{word.reduction, word.address};
                if (others.has(at) || uses.try_emplace(at, use).first->second != use)
                    return false;
                // Two operations that race would take the place of a strong read beneath them, and one would not.
                const Cell* cell = cell_of(allocation, at);
                const auto fine = [](const Reader& reader) { return !is_strong_read(reader); };
                if (cell && !all_readers(*cell, static_cast<GlobalShadow&>(*allocation.shadow).sets, fine, true))
                    return false;
            }
        }
    return true;
}

void join_reductions(Core& core, const machine::Grid& grid, std::span<const std::string_view> parts) {
    const std::vector<Received> all(parts.begin(), parts.end());
    if (std::ranges::all_of(all, [](const Received& part) { return part.words.empty(); }))
        return;
    std::vector<machine::Grid::Stay> stays;
    for (const Received& part : all)
        stays.insert(stays.end(), part.stays.begin(), part.stays.end());
    const std::vector<uint64_t> starts = grid.start_turns(stays);
    const auto turn = [&](uint64_t block, uint64_t since) { return starts[block / grid.blocks_per_cluster] + since; };

    struct Operation {
        uint64_t turn, block;
        const Sent* word;
        uint64_t operand;
    };
    std::vector<Operation> ordered;
    struct Final {
        uint64_t turn = 0, block = 0;
        const Sent* word = nullptr;
        Reductions::Last by;
    };
    std::unordered_map<uint64_t, Final> last; // by address
    const auto apply = [&](const Sent& word, const uint64_t& operand) {
        word.reduction->apply(core.memory.at(word.address, word.reduction->bytes),
                              reinterpret_cast<const std::byte*>(&operand));
    };
    for (const Received& part : all) {
        auto by = part.last.begin();
        for (const Sent& word : part.words) {
            Final& known = last[word.address];
            for (uint32_t i = 0; i < word.last; ++i, ++by)
                if (const uint64_t when = turn(by->block, by->turn);
                    !known.word || std::pair(when, by->block) > std::pair(known.turn, known.block))
                    known = {when, by->block, &word, *by};
            if (word.reduction->in_any_order)
                apply(word, word.operand);
        }
        for (const Reductions::Logged& one : part.log)
            ordered.push_back({turn(one.block, one.turn), one.block, &part.words[one.word], one.operand});
    }
    std::ranges::stable_sort(ordered, {}, [](const Operation& one) { return std::pair(one.turn, one.block); });
    for (const Operation& one : ordered)
        apply(*one.word, one.operand);
    for (const auto& [address, one] : last)
        for (uint64_t at = address; at < address + one.word->reduction->bytes; at += 4)
            record(core, *core.memory.find(address), at, one.by);
}

} // namespace sim::hazards
