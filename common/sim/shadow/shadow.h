// Shadow memory: the last write and the reads since of every 128 bytes (a row), split into quads of four words, those
// into words, and those into bytes, where accesses are narrower or differ. Per byte touched a quarter of a byte; 2 more
// where rows are split, 8 more where quads are, and 32 more where words are; 5 where rows are in spans, 6 where they
// are loose.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <memory>
#include <vector>

#include "sim/memory/allocation.h"
#include "sim/shadow/read_sets.h"
#include "sim/shadow/spans.h"

namespace sim::hazards {

class Loose;

/// Lanes side by side may have accessed the words of a row or quad: word w belongs to the lane of word 0, plus w >>
/// step.
using Step = uint8_t;
inline constexpr Step one_lane = 2; ///< to a quad
/// Sizes of the regions that one cell can describe.
inline constexpr uint32_t quad_words = 4, row_words = 32, row_quads = 8, row_bytes = 128;
/// The step where each lane accesses `bytes`.
inline Step step_of(uint32_t bytes) {
    return Step(std::countr_zero(bytes / 4));
}

/// The state of a row, a quad, a word or a byte; epochs and masks are those of its first word.
struct Cell {
    Epoch write = 0;
    Epoch read = 0; ///< lane field zero: read_mask says which lanes of the warp read
    uint32_t write_pc = 0, read_pc = 0;
    uint32_t read_mask = 0;    ///< if `read` names a set: by how many lanes its masks are turned
    uint32_t group : 24 = 0;   ///< 1 + index in the pool (of a row: of spans), as soon as it has ever been split
    uint32_t split : 1 = 0;    ///< the four parts (of a row: eight) differ: look at them
    uint32_t in_spans : 1 = 0; ///< a row that is split, but not into quads: in spans, or loose; global: in part
    uint32_t write_step : 2 = one_lane, read_step : 2 = one_lane;
    uint32_t has_clock : 1 = 0; ///< a release wrote here: the location has a clock
    uint32_t agreed : 1 = 0;    ///< the last writes, which nothing orders, stored the same value

    void wrote(Epoch by, uint32_t pc, Step step = one_lane) {
        write = by;
        write_pc = pc;
        write_step = step & 3u;
        read = 0;
        agreed = 0;
    }
    /// The same, but the state beneath the write stays.
    void replaced(Epoch by, uint32_t pc, const Reader& beneath) {
        wrote(by, pc);
        if (beneath.epoch)
            read_by(beneath);
    }
    void read_by(const Reader& reader, Step step = one_lane) {
        read = reader.epoch;
        read_mask = reader.mask;
        read_pc = reader.pc;
        read_step = step & 3u;
    }
    bool in_quads() const { return split && !in_spans; }
    Reader reader() const { return {read, read_mask, read_pc}; }
    /// Have several lanes written the `words` of the cell?
    bool written_by_several(uint32_t words) const { return words >> write_step > 1 && has_lane(write); }
    /// What its word (of a word: its byte) `i` remembers, if the cell is not split.
    Cell part(uint32_t i) const {
        Cell result = from(i);
        result.write_step = result.read_step = one_lane;
        return result;
    }
    /// The state of a quad of a row that is not split.
    Cell quad(uint32_t i) const { return from(i * quad_words); }

  private:
    Cell from(uint32_t word) const;
};
static_assert(sizeof(Cell) == 32);

inline Cell Cell::from(uint32_t word) const {
    Cell result = *this;
    if (has_lane(write))
        result.write += uint64_t{word >> write_step} << lane_shift;
    if (kind_of(read) == EpochKind::set)
        result.read_mask = (read_mask + (word >> read_step)) & 31;
    else if (has_lane(read))
        result.read_mask = std::rotl(read_mask, int(word >> read_step));
    result.group = result.split = result.in_spans = 0;
    return result;
}

/// The parts of cells that have been split: groups of four. A cell that is whole again keeps its group for the next
/// time.
class SplitPool {
  public:
    [[gnu::always_inline]] Cell* split(Cell& cell) {
        if (!cell.split)
            split_now(cell);
        return parts(cell);
    }
    Cell* parts(const Cell& cell) const {
        const uint32_t index = cell.group - 1;
        return &blocks_[index / in_block][index % in_block * 4];
    }
    /// A quad of which every word has just been written by `by` and its neighbours is one again, unless there is more
    /// to remember of its words.
    void join(Cell& quad, Epoch by, uint32_t pc, Step step = one_lane);
    void clear() { used_ = 0; }
    template <class F>
    void for_all(F&& f) {
        for (uint32_t i = 0; i < used_; ++i)
            std::for_each_n(&blocks_[i / in_block][i % in_block * 4], 4, f);
    }

  private:
    static constexpr uint32_t in_block = 256;
    void split_now(Cell& cell);

    std::vector<std::unique_ptr<Cell[]>> blocks_;
    uint32_t used_ = 0;
};

/// The tables that a cell's numbers index.
struct ShadowTables {
    SplitPool pool;
    ReadSets sets;
};

/// Rows, and the quads of those that are split.
struct Rows {
    std::unique_ptr<Cell[]> rows, quads;

    /// All quads of a row have just been written and have no other state to remember: records the write once, for the
    /// row.
    void join(uint64_t row, Epoch by, uint32_t pc, Step step) {
        rows[row].split = rows[row].in_spans = 0;
        rows[row].wrote(by, pc, step);
    }
    template <class F>
    void for_all(uint64_t count, F&& f) {
        for (uint64_t i = 0; i < count; ++i)
            rows[i].in_quads() ? std::for_each_n(&quads[i * row_quads], row_quads, f) : std::for_each_n(&rows[i], 1, f);
    }

    void split_now(uint64_t row);
};

/// One block's shared memory.
struct SharedShadow : ShadowTables {
    Rows memory;
    uint64_t rows = 0;
    uint32_t before = 0; ///< the first row begins this many bytes before the memory
    uint64_t block = 0;  ///< whose memory it is: device-wide number
    std::vector<Spans> spans;
    std::shared_ptr<Loose> loose; ///< nullptr: no row is
    void reset(uint64_t bytes, uint32_t bytes_before, uint64_t of_block);
    /// The last write of a word; 0: there is none, or not one of all its bytes.
    Epoch last_write(uint64_t offset) const;
    /// The spans of a row that is in spans, or can be from now on. nullptr: it has to be split. The row is not loose.
    Spans* spans_of(Cell& row) {
        if (!row.split)
            return enter_spans(row);
        return row.in_spans ? &spans[row.group - 1] : nullptr;
    }
    bool is_loose(uint64_t row) const;
    void make_loose(); ///< rows may be from now on
    void split_now(uint64_t row);

  private:
    Spans* enter_spans(Cell& row);
    void spans_to_quads(Cell& row, Cell* quads);
    Epoch write_in_spans(const Cell& row, uint32_t word) const;
};

/// One global allocation, by pages of 4 KiB; a page that only the host wrote is one epoch.
struct GlobalShadow : memory::Attachment, ShadowTables {
    static constexpr uint64_t page_bytes = 4096, page_rows = page_bytes / row_bytes;
    /// A row may be split in part: then the quads that `group` names are apart, and its cell stands for the others.
    struct Page : Rows {
        Epoch write = 0;

        Cell* split(uint64_t row) {
            if (!rows[row].in_quads()) [[unlikely]]
                split_now(row);
            return &quads[row * row_quads];
        }
        Cell& split(uint64_t row, uint32_t quad) {
            if (!rows[row].in_quads() && !is_apart(row, quad)) [[unlikely]]
                split_now(row, quad);
            return quads[row * row_quads + quad];
        }
        bool in_part(uint64_t row) const { return rows[row].in_spans; }
        bool is_apart(uint64_t row, uint32_t quad) const { return rows[row].in_spans && rows[row].group >> quad & 1; }
        /// The state of a quad of a row that is split.
        Cell quad(uint64_t row, uint32_t i) const {
            return rows[row].in_quads() || is_apart(row, i) ? quads[row * row_quads + i] : rows[row].quad(i);
        }
        template <class F>
        void for_all(F&& f) {
            for (uint64_t row = 0; row < page_rows; ++row) {
                if (!rows[row].in_quads())
                    f(rows[row]);
                for (uint32_t i = 0; i < row_quads; ++i)
                    if (rows[row].in_quads() || is_apart(row, i))
                        f(quads[row * row_quads + i]);
            }
        }

      private:
        void split_now(uint64_t row);
        void split_now(uint64_t row, uint32_t quad);
    };
    GlobalShadow(uint64_t bytes, Epoch initial);
    Page& page(uint64_t offset) {
        Page& result = pages[offset / page_bytes];
        if (!result.rows) [[unlikely]]
            materialise(result);
        return result;
    }
    void materialise(Page& page);
    std::vector<Page> pages;
};

/// Where accesses find their rows and quads, and how far into them an address is.
struct SharedCells {
    SharedShadow& shadow;
    Cell *first_row, *first_quad;
    uint32_t before;
    explicit SharedCells(SharedShadow& of_block)
        : shadow(of_block), first_row(shadow.memory.rows.get()), first_quad(shadow.memory.quads.get()),
          before(shadow.before) {}
    Rows& rows(uint64_t) const { return shadow.memory; }
    uint64_t row(uint64_t offset) const { return (offset + before) / row_bytes; }
    uint32_t in_row(uint64_t offset) const { return uint32_t((offset + before) % row_bytes); }
    uint32_t in_quad(uint64_t offset) const { return uint32_t((offset + before) % 16); }
    /// The number of quads, out of `quads` from here on, that precede a whole row that they cover. The rows of these
    /// are split.
    uint32_t before_whole_row(uint64_t offset, uint32_t quads) const {
        const uint64_t end = (offset + before) / 16 + quads;
        for (uint64_t at = (offset + before) / 16; at < end; at = (at / row_quads + 1) * row_quads)
            if (!first_row[at / row_quads].in_quads()) {
                if (at % row_quads == 0 && end - at >= row_quads)
                    return quads - uint32_t(end - at);
                shadow.split_now(at / row_quads);
            }
        return quads;
    }
    /// The quad of this byte, and those behind it in its row.
    Cell& operator()(uint64_t offset) const {
        if (!first_row[row(offset)].in_quads()) [[unlikely]]
            shadow.split_now(row(offset));
        return first_quad[(offset + before) / 16];
    }
    Cell& quad(uint64_t offset) const { return (*this)(offset); }
};
struct GlobalCells {
    GlobalShadow* shadow;
    uint64_t base;
    GlobalShadow::Page& rows(uint64_t address) const { return shadow->page(address - base); }
    uint64_t row(uint64_t address) const { return (address - base) % GlobalShadow::page_bytes / row_bytes; }
    uint32_t in_row(uint64_t address) const { return uint32_t((address - base) % row_bytes); }
    uint32_t in_quad(uint64_t address) const { return uint32_t((address - base) % 16); }
    uint32_t before_whole_row(uint64_t address, uint32_t quads) const {
        return std::min(quads, (row_bytes - in_row(address)) / 16);
    }
    Cell& operator()(uint64_t address) const { return rows(address).split(row(address))[in_row(address) / 16]; }
    /// This quad alone.
    Cell& quad(uint64_t address) const { return rows(address).split(row(address), in_row(address) / 16); }
};

/// Calls whole_row(row, address) for rows that are covered as a whole and not split; if that says false, and for all
/// others, f(address, bytes) for the part of the row.
template <class Cells, class Whole, class F>
void for_rows(uint64_t address, uint64_t bytes, const Cells& cells, Whole&& whole_row, F&& f) {
    for (const uint64_t end = address + bytes; address < end;) {
        const auto count = uint32_t(std::min<uint64_t>(end - address, row_bytes - cells.in_row(address)));
        Cell* const row = count == row_bytes ? &cells.rows(address).rows[cells.row(address)] : nullptr;
        if (!row || row->split || !whole_row(*row, address))
            f(address, count);
        address += count;
    }
}

/// Calls f(quad, address, bytes) for each quad that has some of these bytes of one row.
template <class Cells, class F>
void for_quads(uint64_t address, uint32_t bytes, const Cells& cells, F&& f) {
    Cell* quad = &cells(address);
    for (const uint64_t end = address + bytes; address < end; ++quad) {
        const auto count = uint32_t(std::min<uint64_t>(end - address, 16 - cells.in_quad(address)));
        f(*quad, address, count);
        address += count;
    }
}

/// Calls f(cell, address) or f(cell) for each word or byte that covers these bytes of one quad, splitting the quad, and
/// words that are covered in part. `begin`: the first byte's offset in the quad.
template <class F>
void for_parts(Cell& quad, uint32_t begin, uint64_t address, uint32_t bytes, SplitPool& pool, F&& f) {
    const auto call = [&f](Cell& cell, uint64_t at) {
        if constexpr (std::invocable<F&, Cell&, uint64_t>)
            f(cell, at);
        else
            f(cell);
    };
    Cell* const words = pool.split(quad);
    for (const uint32_t end = begin + bytes; begin < end;) {
        Cell& word = words[begin / 4];
        const uint32_t in_word = begin % 4, count = std::min(4 - in_word, end - begin);
        if (count == 4 && !word.split) {
            call(word, address);
        } else {
            Cell* const bytes_of_word = pool.split(word);
            for (uint32_t i = 0; i < count; ++i)
                call(bytes_of_word[in_word + i], address + i);
        }
        begin += count;
        address += count;
    }
}

/// for_parts over all quads, but a row or quad that is covered as a whole and not split goes to whole(cell, address,
/// words) first; only if that says false it is split.
template <class Cells, class Whole, class F>
void for_cells(uint64_t address, uint64_t bytes, SplitPool& pool, const Cells& cells, Whole&& whole, F&& f) {
    for_rows(
        address, bytes, cells, [&](Cell& row, uint64_t at) { return whole(row, at, row_words); },
        [&](uint64_t begin, uint32_t of_row) {
            for_quads(begin, of_row, cells, [&](Cell& quad, uint64_t at, uint32_t count) {
                if (count < 16 || quad.split || !whole(quad, at, quad_words))
                    for_parts(quad, cells.in_quad(at), at, count, pool, f);
            });
        });
}

/// for_parts over all quads, which are split.
template <class Cells, class F>
void for_cells(uint64_t address, uint64_t bytes, SplitPool& pool, const Cells& cells, F&& f) {
    for_cells(
        address, bytes, pool, cells, [](Cell&, uint64_t, uint32_t) { return false; }, f);
}

} // namespace sim::hazards
