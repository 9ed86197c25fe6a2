#include "sim/shadow/shadow.h"

#include <algorithm>

namespace sim::hazards {

Cell* SplitPool::split_now(Cell& cell) {
    uint32_t index;
    if (!free.empty()) {
        index = free.back();
        free.pop_back();
    } else {
        index = uint32_t(words.size());
        words.push_back(std::make_unique<Cell[]>(4));
    }
    std::fill_n(words[index].get(), 4, cell);
    cell.split = (index + 1) & 0x3fffffff;
    return words[index].get();
}

void SplitPool::unsplit(Cell& cell) {
    if (!cell.split)
        return;
    free.push_back(cell.split - 1);
    cell.split = 0;
}

void SharedShadow::reset(size_t bytes) {
    cells.assign((bytes + 3) / 4, Cell{});
    pool.words.clear();
    pool.free.clear();
    sets.clear();
}

GlobalShadow::GlobalShadow(uint64_t bytes, Epoch initial) : pages((bytes + page_bytes - 1) / page_bytes) {
    if (initial)
        for (auto& page : pages)
            page.write = initial;
}

void GlobalShadow::materialise(Page& page) {
    page.cells = std::make_unique<Cell[]>(page_words);
    if (page.write)
        for (uint64_t i = 0; i < page_words; ++i)
            page.cells[i].write = page.write;
}

} // namespace sim::hazards
