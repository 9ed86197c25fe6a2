#include "sim/shadow/shadow.h"

#include <utility>

#include "sim/shadow/exhausted.h"
#include "sim/shadow/loose.h"

namespace sim::hazards {

namespace {
constexpr uint32_t most_groups = 0xffffff; // what Cell::group holds
}

void SplitPool::split_now(Cell& cell) {
    if (!cell.group) {
        if (used_ == most_groups)
            throw Exhausted(
                "the detector cannot remember who accessed so many single bytes and half words of one allocation; "
                "a smaller problem has the same hazards");
        if (used_ / in_block == blocks_.size())
            blocks_.push_back(std::make_unique<Cell[]>(4 * in_block));
        cell.group = ++used_ & most_groups;
        std::fill_n(parts(cell), 4, Cell{}); // it may have been another cell's, before clear()
    }
    Cell* const group = parts(cell);
    const bool alike = cell.write_step == one_lane && cell.read_step == one_lane;
    for (uint32_t i = 0; i < 4; ++i) {
        const auto of_part = group[i].group;
        group[i] = alike ? cell : cell.part(i);
        group[i].group = of_part;
    }
    cell.split = 1;
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
    quad.split = 0;
    quad.wrote(by, pc, step);
}

void GlobalShadow::Page::split_now(uint64_t row, uint32_t quad) {
    if (!quads)
        quads = std::make_unique<Cell[]>(page_rows * row_quads);
    Cell &whole = rows[row], &part = quads[row * row_quads + quad];
    if (!whole.split) {
        whole.split = whole.in_spans = 1;
        whole.group = 0;
    }
    const auto group = part.group;
    part = whole.quad(quad);
    part.group = group;
    whole.group |= 1u << quad;
    if (whole.group == (1u << row_quads) - 1)
        whole.in_spans = whole.group = 0;
}

void GlobalShadow::Page::split_now(uint64_t row) {
    for (uint32_t i = 0; in_part(row) && i < row_quads; ++i)
        if (!is_apart(row, i))
            split_now(row, i);
    if (!rows[row].in_quads())
        Rows::split_now(row);
}

void Rows::split_now(uint64_t row) {
    if (!quads) // of a page
        quads = std::make_unique<Cell[]>(GlobalShadow::page_rows * row_quads);
    Cell* const parts = &quads[row * row_quads];
    for (uint32_t i = 0; i < row_quads; ++i) {
        const auto group = parts[i].group;
        parts[i] = rows[row].quad(i);
        parts[i].group = group;
    }
    rows[row].split = 1;
}

void SharedShadow::reset(uint64_t bytes, uint32_t bytes_before, uint64_t of_block) {
    block = of_block;
    before = bytes_before;
    const uint64_t old = std::exchange(rows, (before + bytes + row_bytes - 1) / row_bytes);
    if (old != rows) {
        memory.rows = std::make_unique<Cell[]>(rows);
        memory.quads = std::make_unique<Cell[]>(rows * row_quads);
    } else {
        std::fill_n(memory.rows.get(), rows, Cell{});
        std::fill_n(memory.quads.get(), rows * row_quads, Cell{});
    }
    pool.clear();
    sets.clear();
    spans.clear();
    if (old == rows && loose)
        loose->clear();
    else
        loose.reset();
}

void SharedShadow::split_now(uint64_t row) {
    if (is_loose(row)) {
        loose->to_quads(row, block, &memory.quads[row * row_quads], pool);
        memory.rows[row].in_spans = 0;
    } else if (memory.rows[row].in_spans) {
        spans_to_quads(memory.rows[row], &memory.quads[row * row_quads]);
    } else {
        memory.split_now(row);
    }
}

bool SharedShadow::is_loose(uint64_t row) const {
    return loose && loose->has(row);
}

void SharedShadow::make_loose() {
    if (!loose)
        loose = std::make_shared<Loose>(rows);
}

Epoch SharedShadow::last_write(uint64_t offset) const {
    offset += before;
    const Cell& row = memory.rows[offset / row_bytes];
    if (!row.split)
        return row.part(uint32_t(offset % row_bytes / 4)).write;
    if (is_loose(offset / row_bytes))
        return loose->last_write(offset / 4, block);
    if (row.in_spans)
        return write_in_spans(row, uint32_t(offset % row_bytes / 4));
    const Cell& quad = memory.quads[offset / 16];
    const auto i = uint32_t(offset / 4 % 4);
    if (!quad.split)
        return quad.part(i).write;
    const Cell& word = pool.parts(quad)[i];
    return word.split ? 0 : word.write;
}

GlobalShadow::GlobalShadow(uint64_t bytes, Epoch initial) : pages((bytes + page_bytes - 1) / page_bytes) {
    if (initial)
        for (auto& page : pages)
            page.write = initial;
}

void GlobalShadow::materialise(Page& page) {
    page.rows = std::make_unique<Cell[]>(page_rows);
    if (page.write)
        for (uint64_t i = 0; i < page_rows; ++i)
            page.rows[i].write = page.write;
}

} // namespace sim::hazards
