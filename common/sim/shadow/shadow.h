// Shadow memory: the last write and the reads since of every 16 bytes (a quad: four words), split into words, and those
// into bytes, where accesses are narrower. Per byte touched 2 bytes; 10 where quads are split into words, 42 where
// those are split into bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <memory>
#include <vector>

#include "sim/memory/allocation.h"
#include "sim/shadow/read_sets.h"

namespace sim::hazards {

/// Lanes side by side may have accessed the words of a quad: word w belongs to the lane of word 0, plus w >> step.
using Step = uint8_t;
inline constexpr Step one_lane = 2;
/// The step where each lane accesses `bytes`.
inline Step step_of(uint32_t bytes) {
    return Step(std::countr_zero(bytes / 4));
}

/// What a quad, a word or a byte remembers; of a quad, epochs and masks are those of its first word.
struct Cell {
    Epoch write = 0;
    Epoch read = 0; ///< lane field zero: read_mask says which lanes of the warp read
    uint32_t write_pc = 0, read_pc = 0;
    uint32_t read_mask = 0;  ///< if `read` names a set: by how many lanes its masks are turned
    uint32_t split : 26 = 0; ///< 1 + index in the pool: the four parts differ
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
    void read_by(const Reader& reader, Step step = one_lane) {
        read = reader.epoch;
        read_mask = reader.mask;
        read_pc = reader.pc;
        read_step = step & 3u;
    }
    Reader reader() const { return {read, read_mask, read_pc}; }
    /// What part `i` remembers, if the cell is not split.
    Cell part(uint32_t i) const;
};
static_assert(sizeof(Cell) == 32);

inline Cell Cell::part(uint32_t i) const {
    Cell result = *this;
    if (write_step != one_lane && has_lane(write))
        result.write += uint64_t{i >> write_step} << lane_shift;
    if (read_step != one_lane && kind_of(read) == EpochKind::set)
        result.read_mask = (read_mask + (i >> read_step)) & 31;
    else if (read_step != one_lane && has_lane(read))
        result.read_mask = std::rotl(read_mask, int(i >> read_step));
    result.write_step = result.read_step = one_lane;
    return result;
}

/// The parts of cells that are split: four cells each.
class SplitPool {
  public:
    [[gnu::always_inline]] Cell* split(Cell& cell) { return cell.split ? group(cell.split - 1) : split_now(cell); }
    void unsplit(Cell& cell);
    /// A quad of which every word has just been written by `by` and its neighbours is one again, unless there is more
    /// to remember of its words.
    void join(Cell& quad, Epoch by, uint32_t pc, Step step = one_lane);
    void clear();
    template <class F>
    void for_all(F&& f) {
        for (uint32_t i = 0; i < used_; ++i)
            std::for_each_n(group(i), 4, f);
    }
    const Cell* parts(const Cell& cell) const { return group(cell.split - 1); }

  private:
    static constexpr uint32_t in_block = 256;
    Cell* group(uint32_t index) const { return &blocks_[index / in_block][index % in_block * 4]; }
    Cell* split_now(Cell& cell);

    std::vector<std::unique_ptr<Cell[]>> blocks_;
    std::vector<uint32_t> free_;
    uint32_t used_ = 0; ///< groups that have been given away, some of which may be free again
};

/// What a cell's numbers refer to.
struct ShadowTables {
    SplitPool pool;
    ReadSets sets;
};

/// Quads of one block's shared memory.
struct SharedShadow : ShadowTables {
    std::vector<Cell> cells;
    void reset(size_t bytes);
    Cell word(uint64_t offset) const;
};

/// Quads of one global allocation, by pages of 4 KiB; a page that only the host wrote is one epoch.
struct GlobalShadow : memory::Attachment, ShadowTables {
    static constexpr uint64_t page_bytes = 4096, page_quads = page_bytes / 16;
    struct Page {
        Epoch write = 0;
        std::unique_ptr<Cell[]> cells;
    };
    GlobalShadow(uint64_t bytes, Epoch initial);
    Cell& cell(uint64_t offset) { ///< of the quad with byte `offset`
        Page& page = pages[offset / page_bytes];
        if (!page.cells) [[unlikely]]
            materialise(page);
        return page.cells[offset % page_bytes / 16];
    }
    void materialise(Page& page);
    std::vector<Page> pages;
};

/// Where accesses find their quads, and how far into a quad an address is.
struct SharedCells {
    Cell* cells;
    Cell& operator()(uint64_t offset) const { return cells[offset / 16]; }
    uint32_t in_quad(uint64_t offset) const { return uint32_t(offset & 15); }
    /// How many of `count` quads lie one after the other?
    uint64_t side_by_side(uint64_t, uint64_t count) const { return count; }
};
struct GlobalCells {
    GlobalShadow* shadow;
    uint64_t base;
    Cell& operator()(uint64_t address) const { return shadow->cell(address - base); }
    uint32_t in_quad(uint64_t address) const { return uint32_t((address - base) & 15); }
    uint64_t side_by_side(uint64_t address, uint64_t count) const {
        return std::min(count, GlobalShadow::page_quads - (address - base) % GlobalShadow::page_bytes / 16);
    }
};

/// Calls f(quad, address, bytes) for each quad that has some of these bytes.
template <class Cells, class F>
void for_quads(uint64_t address, uint64_t bytes, const Cells& cells, F&& f) {
    for (const uint64_t end = address + bytes; address < end;) {
        const auto count = uint32_t(std::min<uint64_t>(end - address, 16 - cells.in_quad(address)));
        Cell* const first = &cells(address);
        if (count < 16) {
            f(*first, address, count);
            address += count;
            continue;
        }
        const uint64_t quads = cells.side_by_side(address, (end - address) / 16);
        for (uint64_t i = 0; i < quads; ++i, address += 16)
            f(first[i], address, 16u);
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

/// for_parts over all quads.
template <class Cells, class F>
void for_cells(uint64_t address, uint64_t bytes, SplitPool& pool, const Cells& cells, F&& f) {
    for_quads(address, bytes, cells,
              [&](Cell& quad, uint64_t at, uint32_t count) { for_parts(quad, cells.in_quad(at), at, count, pool, f); });
}

/// The same, but a quad that is covered as a whole and not split goes to whole(quad, address) first; only if that says
/// false it is split.
template <class Cells, class Whole, class F>
void for_cells(uint64_t address, uint64_t bytes, SplitPool& pool, const Cells& cells, Whole&& whole, F&& f) {
    for_quads(address, bytes, cells, [&](Cell& quad, uint64_t at, uint32_t count) {
        if (count < 16 || quad.split || !whole(quad, at))
            for_parts(quad, cells.in_quad(at), at, count, pool, f);
    });
}

} // namespace sim::hazards
