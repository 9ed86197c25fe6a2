#include "sim/shadow/spans.h"

#include <bit>

#include "sim/shadow/readers.h"

namespace sim::hazards {
namespace {

void set_write(Cell& cell, const Spans& spans, uint32_t word) {
    cell.wrote(0, 0);
    for (const Span& by : spans.writes())
        if (by.words >> word & 1)
            cell.wrote(has_lane(by.epoch) ? by.epoch | uint64_t{by.lane_of(word)} << lane_shift : by.epoch, by.pc);
}

void set_reads(Cell& cell, const Spans& spans, uint32_t word, ReadSets& sets) {
    std::array<Reader, Spans::most_reads> readers;
    uint32_t count = 0;
    for (const Span& by : spans.reads()) {
        if (!(by.words >> word & 1))
            continue;
        uint32_t i = 0;
        while (i < count && readers[i].epoch != by.epoch)
            ++i;
        if (i == count)
            readers[count++] = {by.epoch, 0, 0};
        readers[i].mask |= 1u << by.lane_of(word);
        readers[i].pc = by.pc;
    }
    if (count == 1)
        return cell.read_by(readers[0]);
    const auto turn = count ? uint32_t(std::countr_zero(readers[0].mask)) : 0;
    for (uint32_t i = 0; i < count; ++i)
        cell.read = sets.with(cell.read, turned(readers[i], turn));
    cell.read_mask = turn;
}

/// Have the same accesses met all four words of a quad, with lanes side by side?
bool alike(const Spans& spans, uint32_t first_word) {
    const auto all_or_none = [first_word](const Span& by) {
        const uint32_t words = by.words >> first_word & 15;
        return words == 0 || words == 15;
    };
    return std::ranges::all_of(spans.reads(), all_or_none) && std::ranges::all_of(spans.writes(), [&](const Span& by) {
               return all_or_none(by) && by.lane_of(first_word) <= 28;
           });
}

} // namespace

Spans* SharedShadow::enter_spans(Cell& row) {
    const bool retired = kind_of(row.read) == EpochKind::set && sets.retired(row.read);
    const bool written_by_word = row.write_step == 0 || !has_lane(row.write);
    const bool read_by_word = !row.read || retired || (kind_of(row.read) == EpochKind::plain && row.read_step == 0);
    if (row.has_clock || row.agreed || !written_by_word || !read_by_word)
        return nullptr;
    if (!row.group) {
        spans.emplace_back();
        row.group = spans.size() & 0xffffff;
    }
    Spans& result = spans[row.group - 1];
    result.clear();
    const bool lanes = has_lane(row.write);
    if (row.write)
        result.wrote({lanes ? row.write & ~lane_field : row.write, ~0u, row.write_pc, lanes ? lane_of(row.write) : 0});
    if (row.read && !retired)
        for (uint32_t rest = row.read_mask; rest; rest &= rest - 1)
            result.read({row.read, ~0u, row.read_pc, uint32_t(std::countr_zero(rest))});
    row.read = 0; // it may be a set that is not maintained from now on
    row.split = row.in_spans = 1;
    return &result;
}

void SharedShadow::spans_to_quads(Cell& row, Cell* quads) {
    const Spans& from = spans[row.group - 1];
    for (uint32_t word = 0; word < row_words; word += quad_words, ++quads) {
        const auto group = quads->group;
        *quads = {};
        quads->group = group;
        if (alike(from, word)) {
            set_write(*quads, from, word);
            set_reads(*quads, from, word, sets);
            quads->write_step = quads->read_step = 0;
            continue;
        }
        Cell* const words = pool.split(*quads);
        for (uint32_t i = 0; i < quad_words; ++i) {
            set_write(words[i], from, word + i);
            set_reads(words[i], from, word + i, sets);
        }
    }
    row.in_spans = 0;
}

Epoch SharedShadow::write_in_spans(const Cell& row, uint32_t word) const {
    Cell result;
    set_write(result, spans[row.group - 1], word);
    return result.write;
}

} // namespace sim::hazards
