// Shadow memory: for every 4-byte word the last write and the reads since, split into bytes where accesses are
// narrower. 32 bytes per word touched: 8 bytes per byte (32 where a word is split).
#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include "sim/memory/allocation.h"
#include "sim/shadow/read_sets.h"

namespace sim::hazards {

struct Cell {
    Epoch write = 0;
    Epoch read = 0; ///< lane field zero: read_mask says which lanes of the warp read
    uint32_t write_pc = 0, read_pc = 0;
    uint32_t read_mask = 0;     ///< if `read` names a set: by how many lanes its masks are turned
    uint32_t split : 30 = 0;    ///< 1 + index in the pool: the four bytes differ
    uint32_t has_clock : 1 = 0; ///< a release wrote here: the location has a clock
    uint32_t agreed : 1 = 0;    ///< the last writes, which nothing orders, stored the same value

    void wrote(Epoch by, uint32_t pc) {
        write = by;
        write_pc = pc;
        read = 0;
        agreed = 0;
    }
};
static_assert(sizeof(Cell) == 32);

struct SplitPool {
    std::vector<std::unique_ptr<Cell[]>> words; ///< four cells each
    std::vector<uint32_t> free;
    Cell* split(Cell& cell) { return cell.split ? words[cell.split - 1].get() : split_now(cell); }
    Cell* split_now(Cell& cell);
    void unsplit(Cell& cell);
};

/// What a cell's numbers refer to.
struct ShadowTables {
    SplitPool pool;
    ReadSets sets;
};

/// Words of one block's shared memory.
struct SharedShadow : ShadowTables {
    std::vector<Cell> cells;
    void reset(size_t bytes);
};

/// Words of one global allocation, by pages of 4 KiB; a page that only the host wrote is one epoch.
struct GlobalShadow : memory::Attachment, ShadowTables {
    static constexpr uint64_t page_bytes = 4096, page_words = page_bytes / 4;
    struct Page {
        Epoch write = 0;
        std::unique_ptr<Cell[]> cells;
    };
    GlobalShadow(uint64_t bytes, Epoch initial);
    Cell& cell(uint64_t offset) { ///< of the word at byte `offset`
        Page& page = pages[offset / page_bytes];
        if (!page.cells) [[unlikely]]
            materialise(page);
        return page.cells[offset % page_bytes / 4];
    }
    void materialise(Page& page);
    std::vector<Page> pages;
};

/// Calls f(cell), or f(cell, its offset), for each cell that covers [offset, offset + bytes), splitting words that are
/// covered in part.
template <class GetCell, class F>
void for_cells(uint64_t offset, uint32_t bytes, SplitPool& pool, GetCell&& cell_at, F&& f) {
    const uint64_t end = offset + bytes;
    const auto call = [&f](Cell& cell, uint64_t at) {
        if constexpr (std::invocable<F&, Cell&, uint64_t>)
            f(cell, at);
        else
            f(cell);
    };
    while (offset < end) {
        Cell& word = cell_at(offset);
        const uint32_t in_word = uint32_t(offset & 3);
        const auto count = uint32_t(end - offset < 4 - in_word ? end - offset : 4 - in_word);
        if (count == 4 && !word.split) {
            call(word, offset);
        } else {
            Cell* bytes_of_word = pool.split(word);
            for (uint32_t i = 0; i < count; ++i)
                call(bytes_of_word[in_word + i], offset + i);
        }
        offset += count;
    }
}

} // namespace sim::hazards
