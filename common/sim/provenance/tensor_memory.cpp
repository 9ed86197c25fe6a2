// Tensor Memory: which columns depend on what copies brought. Operations are followed in the order of their issue.
#include <algorithm>

#include "sim/machine/exec.h"
#include "sim/provenance/provenance.h"

namespace sim::provenance {

using namespace events;

namespace {

constexpr uint32_t quarter = 32, quarters = 4, columns = 512; // of lanes, and of Tensor Memory

/// Calls f(place) for each column of each quarter of the lanes that has one of the cells.
template <class F>
void for_places(const TensorCells& cells, F&& f) {
    const uint32_t end = std::min(quarters, (cells.lane + cells.lanes + quarter - 1) / quarter);
    for (uint32_t part = cells.lane / quarter; part < end; ++part)
        for (uint32_t column = cells.column; column < std::min(columns, cells.column + cells.columns); ++column)
            f(part * columns + column);
}

} // namespace

Origin Tracker::origin(const TensorCells& cells) {
    const std::vector<Origin>& held = of(*cells.block).cells;
    Origin all = 0;
    if (!held.empty())
        for_places(cells, [&](uint32_t place) { all = origins_.join(all, held[place]); });
    return all;
}

// Where an operation writes only some lanes of a quarter, the others keep what they hold.
void Tracker::overwrite(const TensorCells& cells, Origin by) {
    std::vector<Origin>& held = of(*cells.block).cells;
    held.resize(quarters * columns);
    const bool whole = cells.lane % quarter == 0 && cells.lanes % quarter == 0;
    for_places(cells, [&](uint32_t place) { held[place] = whole ? by : origins_.join(held[place], by); });
}

void Tracker::tensor_issue(Exec& x, const TensorIssue& issue) {
    epilogues_.issue(x.warp, issue);
    Origin factors = 0;
    for (const TensorIssue::Shared& operand : issue.operands) {
        BlockFlow& block = of(*operand.block);
        uint32_t words = 0;
        for (const BulkBytes& piece : operand.matrix.bytes) {
            words += read(block, piece.offset, piece.bytes);
            factors = origins_.join(factors, origin(block, piece.offset, piece.bytes));
        }
        if (words)
            note_stages(block, words);
        note_products(block, none, issue.number);
    }
    if (!follows_values())
        return;
    const bool in_place = origins_.is_landed(factors);
    Origin sums = 0; // that the products are added to
    for (const TensorCells& cells : issue.cells)
        if (!cells.written) {
            Origin& of_these = cells.name == 'D' ? sums : factors;
            of_these = origins_.join(of_these, origin(cells));
        }
    if (issue.kind == TensorIssue::Kind::mma)
        factors = origins_.multiplied(factors, in_place);
    for (const TensorCells& cells : issue.cells)
        if (cells.written)
            overwrite(cells, origins_.join(sums, factors));
}

void Tracker::tensor_done(uint64_t number) {
    for (auto& [_, block] : running_)
        std::erase_if(block.products,
                      [&](const Products& some) { return some.warpgroup == none && some.last <= number; });
}

void Tracker::tensor_commit(Exec& x, const TensorCommit& commit) {
    epilogues_.commit(x.warp, commit);
}

void Tracker::tensor_arrive(uint64_t commit, Mbarrier& barrier) {
    epilogues_.commit_arrives(commit, barrier);
}

void Tracker::tensor_access(Exec& x, const TensorAccess& access) {
    epilogues_.load(x.warp, access);
    if (!follows_values())
        return;
    Registers& registers = of(x.block).warps[x.warp.id].registers;
    for (const TensorCells& cells : access.cells)
        if (access.store)
            overwrite(cells, registers.stored(x, origins_));
        else
            registers.loaded(x, origin(cells), origins_);
}

} // namespace sim::provenance
