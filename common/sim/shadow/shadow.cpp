#include "sim/shadow/shadow.h"

namespace sim::hazards {

Cell* SplitPool::split_now(Cell& cell) {
    uint32_t index;
    if (!free_.empty()) {
        index = free_.back();
        free_.pop_back();
    } else {
        index = used_++;
        if (index / in_block == blocks_.size())
            blocks_.push_back(std::make_unique_for_overwrite<Cell[]>(4 * in_block));
    }
    Cell* const parts = group(index);
    std::fill_n(parts, 4, cell);
    if (cell.write_step != one_lane || cell.read_step != one_lane)
        for (uint32_t i = 0; i < 4; ++i)
            parts[i] = cell.part(i);
    cell.split = (index + 1) & 0x3ffffff;
    return parts;
}

void SplitPool::unsplit(Cell& cell) {
    if (!cell.split)
        return;
    std::for_each_n(group(cell.split - 1), 4, [this](Cell& part) { unsplit(part); });
    free_.push_back(cell.split - 1);
    cell.split = 0;
}

void SplitPool::join(Cell& quad, Epoch by, uint32_t pc, Step step) {
    if (!quad.split)
        return;
    const uint64_t next = step == one_lane ? 0 : uint64_t{1} << lane_shift;
    const auto plain = [](const Cell& cell, Epoch write) {
        return !cell.has_clock && !cell.agreed && cell.write == write;
    };
    for (uint32_t i = 0; i < 4; ++i) {
        const Cell& word = parts(quad)[i];
        const Epoch write = by + next * (i >> step);
        const bool alike = word.split
                               ? !word.has_clock && std::all_of(parts(word), parts(word) + 4,
                                                                [&](const Cell& byte) { return plain(byte, write); })
                               : plain(word, write);
        if (!alike)
            return;
    }
    unsplit(quad);
    quad.wrote(by, pc, step);
}

void SplitPool::clear() {
    free_.clear();
    used_ = 0;
}

void SharedShadow::reset(size_t bytes) {
    cells.assign((bytes + 15) / 16, Cell{});
    pool.clear();
    sets.clear();
}

Cell SharedShadow::word(uint64_t offset) const {
    const Cell& quad = cells[offset / 16];
    const auto i = uint32_t(offset / 4 % 4);
    return quad.split ? pool.parts(quad)[i] : quad.part(i);
}

GlobalShadow::GlobalShadow(uint64_t bytes, Epoch initial) : pages((bytes + page_bytes - 1) / page_bytes) {
    if (initial)
        for (auto& page : pages)
            page.write = initial;
}

void GlobalShadow::materialise(Page& page) {
    page.cells = std::make_unique<Cell[]>(page_quads);
    if (page.write)
        for (uint64_t i = 0; i < page_quads; ++i)
            page.cells[i].write = page.write;
}

} // namespace sim::hazards
