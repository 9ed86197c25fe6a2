#include "sim/shadow/touched.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "sim/shadow/readers.h"

namespace sim::hazards {

namespace {

/// The readers of a cell that blocks of one kind are: those of the first of their warps.
class FirstReaders {
  public:
    FirstReaders(const Ordering& ordering, const IsOwn& is_own) : ordering_(ordering), is_own_(is_own) {}

    bool are_own(Epoch e) const {
        const uint64_t by = ordering_.thread(e);
        return by && is_own_(block_of(by));
    }
    const std::vector<Reader>& of(const Cell& cell, const ReadSets& sets) {
        // Words that were read alike share their sets.
        if (kind_of(cell.read) == EpochKind::set && cell.read == set_ && cell.read_mask == turn_)
            return found_;
        set_ = cell.read;
        turn_ = cell.read_mask;
        found_.clear();
        first_ = UINT64_MAX;
        all_readers(cell, sets, [&](const Reader& reader) {
            if (reader.wrote() || !are_own(reader.epoch))
                return true;
            const uint64_t key = ordering_.thread(reader.epoch);
            if (key < first_)
                found_.clear();
            first_ = std::min(first_, key);
            if (key == first_)
                found_.push_back(reader);
            return true;
        });
        return found_;
    }
    uint64_t first() const { return first_; } ///< Ordering::thread() of what of() has found last

  private:
    const Ordering& ordering_;
    const IsOwn& is_own_;
    Epoch set_ = 0;
    uint32_t turn_ = 0;
    std::vector<Reader> found_;
    uint64_t first_ = UINT64_MAX;
};

/// Calls f(cell, offset, bytes) for the rows of a page that are not split, and for the parts of the others.
template <class F>
void for_pieces(const GlobalShadow::Page& page, const SplitPool& pool, F&& f) {
    for (uint32_t r = 0; r < GlobalShadow::page_rows; ++r) {
        const Cell& row = page.rows[r];
        if (!row.split) {
            f(row, r * row_bytes, row_bytes);
            continue;
        }
        for (uint32_t q = 0; q < row_quads; ++q) {
            const Cell quad = page.quad(r, q);
            const uint32_t at = r * row_bytes + q * 16;
            if (!quad.split) {
                f(quad, at, 16);
                continue;
            }
            for (uint32_t w = 0; w < quad_words; ++w) {
                const Cell& word = pool.parts(quad)[w];
                for (uint32_t b = 0; b < (word.split ? 4u : 1u); ++b)
                    word.split ? f(pool.parts(word)[b], at + w * 4 + b, 1) : f(word, at + w * 4, 4);
            }
        }
    }
}

} // namespace

void collect_touched(const memory::Allocation& allocation, const Ordering& ordering, const IsOwn& is_own,
                     TouchedMemory& to) {
    const auto& shadow = static_cast<const GlobalShadow&>(*allocation.shadow);
    FirstReaders first(ordering, is_own);
    for (size_t number = 0; number < shadow.pages.size(); ++number)
        if (const auto& page = shadow.pages[number]; page.rows)
            for_pieces(page, shadow.pool, [&](const Cell& cell, uint32_t offset, uint32_t bytes) {
                // Strong writes are those of before, or reductions (detector/reductions.h).
                const bool wrote = first.are_own(cell.write) && kind_of(cell.write) != EpochKind::strong;
                const auto& readers = first.of(cell, shadow.sets);
                if (!wrote && readers.empty())
                    return;
                to.pieces.push_back({allocation.address + number * GlobalShadow::page_bytes + offset,
                                     wrote ? cell.write : 0, cell.write_pc, uint32_t(readers.size()), uint16_t(bytes),
                                     Step(cell.write_step), Step(cell.read_step)});
                to.readers.insert(to.readers.end(), readers.begin(), readers.end());
            });
}

namespace {

/// Adds readers to the cells of a piece.
class Joining {
  public:
    Joining(GlobalShadow& shadow, const Ordering& ordering, const IsOwn& of_launch, std::span<const Reader> readers,
            Step step)
        : shadow_(shadow), here_(ordering, of_launch), readers_(readers), step_(step),
          key_(ordering.thread(readers.front().epoch)) {}

    void row(GlobalShadow::Page& page, uint64_t number) {
        Cell& row = page.rows[number];
        if (!row.split && (can_take(row) || !row.read))
            return take(row, 0);
        Cell* const quads = page.split(number);
        for (uint32_t i = 0; i < row_quads; ++i)
            quad(quads[i], i * quad_words);
    }
    /// `first`: its first word, from the beginning of the piece.
    void quad(Cell& cell, uint32_t first) {
        if (!cell.split && (can_take(cell) || !cell.read))
            return take(cell, first);
        Cell* const words = shadow_.pool.split(cell);
        for (uint32_t i = 0; i < quad_words; ++i)
            word(words[i], first + i);
    }
    void word(Cell& cell, uint32_t first) {
        step_now_ = one_lane;
        if (!cell.split)
            take(cell, first);
        else
            for (uint32_t i = 0; i < 4; ++i)
                take(shadow_.pool.parts(cell)[i], first);
        step_now_ = step_;
    }
    void byte(Cell& cell) { take(cell, 0); }

  private:
    bool can_take(const Cell& cell) const { return can_remember(cell, step_); }
    void take(Cell& cell, uint32_t word) {
        const auto mine = [&](const Reader& reader) {
            Reader result = reader;
            if (kind_of(reader.epoch) != EpochKind::async)
                result.mask = std::rotl(reader.mask, int(word >> step_));
            return result;
        };
        const bool none = here_.of(cell, shadow_.sets).empty();
        if (!none && here_.first() < key_)
            return; // one of the launch that comes first is known
        if (!cell.read && readers_.size() == 1)
            return cell.read_by(mine(readers_.front()), step_now_);
        const uint32_t turn =
            kind_of(cell.read) == EpochKind::set ? cell.read_mask : uint32_t(std::countr_zero(readers_.front().mask));
        std::vector<Reader> stay;
        all_readers(cell, shadow_.sets, [&](const Reader& reader) {
            if (reader.wrote() || !here_.are_own(reader.epoch))
                stay.push_back(reader);
            return true;
        });
        Epoch set = 0;
        for (; !stay.empty(); stay.pop_back())
            set = shadow_.sets.with(set, turned(stay.back(), turn));
        for (size_t i = readers_.size(); i-- > 0;)
            set = shadow_.sets.with(set, turned(mine(readers_[i]), turn));
        cell.read = set;
        cell.read_mask = turn & 31;
        cell.read_pc = 0;
        cell.read_step = step_now_ & 3u;
    }

    GlobalShadow& shadow_;
    FirstReaders here_;
    std::span<const Reader> readers_;
    Step step_, step_now_ = step_;
    uint64_t key_;
};

} // namespace

void join_touched(const memory::Allocation& allocation, GlobalShadow& shadow, const Ordering& ordering,
                  const IsOwn& of_launch, const Touched& piece, std::span<const Reader> readers) {
    const uint64_t offset = piece.address - allocation.address;
    GlobalShadow::Page& page = shadow.page(offset);
    const uint64_t row = offset % GlobalShadow::page_bytes / row_bytes;
    std::optional<Joining> joining;
    if (!readers.empty())
        joining.emplace(shadow, ordering, of_launch, readers, piece.read_step);
    const auto wrote = [&](Cell& cell) {
        if (piece.write) {
            cell.split = cell.in_spans = 0;
            cell.wrote(piece.write, piece.write_pc, piece.write_step);
        }
    };
    if (piece.bytes == row_bytes) {
        wrote(page.rows[row]);
        if (joining)
            joining->row(page, row);
        return;
    }
    Cell& quad = page.split(row)[offset % row_bytes / 16];
    if (piece.bytes == 16) {
        wrote(quad);
        if (joining)
            joining->quad(quad, 0);
        return;
    }
    Cell& word = shadow.pool.split(quad)[offset % 16 / 4];
    if (piece.bytes == 4) {
        wrote(word);
        if (joining)
            joining->word(word, 0);
        return;
    }
    Cell& byte = shadow.pool.split(word)[offset % 4];
    wrote(byte);
    if (joining)
        joining->byte(byte);
}

template <class F>
bool WordsInUse::for_words(std::span<const Touched> pieces, F&& f) {
    Page* page = nullptr;
    uint64_t number = UINT64_MAX;
    for (const Touched& piece : pieces)
        for (uint64_t word = piece.address / 4, end = (piece.address + piece.bytes + 3) / 4; word < end;) {
            if (word / page_words != number) {
                number = word / page_words;
                page = &pages_[number];
            }
            const uint64_t bit = word % 64, count = std::min<uint64_t>(end - word, 64 - bit);
            const uint64_t words = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << bit;
            if (!f(piece, *page, word % page_words / 64, words))
                return false;
            word += count;
        }
    return true;
}

bool WordsInUse::add(std::span<const Touched> pieces) {
    const bool free = for_words(pieces, [](const Touched& piece, const Page& page, uint64_t at, uint64_t words) {
        return !((page.written[at] | (piece.write ? page.read[at] : 0)) & words);
    });
    return free && for_words(pieces, [](const Touched& piece, Page& page, uint64_t at, uint64_t words) {
               (piece.write ? page.written : page.read)[at] |= words;
               return true;
           });
}

bool WordsInUse::has(uint64_t address) const {
    const uint64_t word = address / 4;
    const auto page = pages_.find(word / page_words);
    return page != pages_.end() &&
           (page->second.written[word % page_words / 64] | page->second.read[word % page_words / 64]) >> word % 64 & 1;
}

} // namespace sim::hazards
