// Launches, blocks and host operations.
#include <algorithm>
#include <cxxabi.h>

#include <fmt/format.h>

#include "sim/hazards/detector.h"

namespace sim::hazards {
namespace {

std::string demangled(const std::string& name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && text ? text : name;
    std::free(text);
    const auto parenthesis = result.find('(');
    return parenthesis == std::string::npos ? result : result.substr(0, parenthesis);
}

constexpr size_t operations_kept = 65536;

} // namespace

Detector::Detector(memory::GlobalMemory& memory, std::function<machine::DecodedFunction*(uint32_t)> function_at)
    : memory_(memory), function_at_(std::move(function_at)) {
    ClockBuilder empty;
    launch_.nothing = empty.take();
}

Detector::~Detector() = default;

void Detector::launch_begin(machine::Grid& grid, const machine::Order& order, machine::OperationId operation) {
    const uint64_t count = grid.config.grid.count();
    if (next_block_ + count > max_block) { // numbers run out after 67 million blocks: everything so far becomes "old"
        for (const auto& [address, allocation] : memory_)
            if (auto* global = static_cast<GlobalShadow*>(allocation.shadow.get()))
                const_cast<memory::Allocation&>(allocation).shadow =
                    std::make_unique<GlobalShadow>(global->pages.size() * GlobalShadow::page_bytes,
                                                   Epoch(EpochKind::old) << kind_shift);
        next_block_ = 1;
        operations_.clear();
    }
    launch_.base = next_block_;
    launch_.async_base = first_async_ + async_ops_.size();
    launch_.operation = operation;
    launch_.order = order;
    launch_.kernel = demangled(grid.entry->function->name);
    if (operations_.size() > operations_kept)
        operations_.erase(operations_.begin(), operations_.begin() + operations_kept / 2);
    operations_.push_back({operation, launch_.base, count, "kernel " + launch_.kernel});
    next_block_ += count;
    pending_.clear();
    early_.clear();
    held_.clear();
    noted_pairs_.clear();
    stores_seen_.clear();
}

void Detector::launch_end(machine::Grid&) {
    report_early(nullptr);
    pending_.clear();
    flows_.clear();
    for (auto& known : flow_answers_)
        known.clear();
    early_.clear();
    bulk_remarks_.clear();
    clusters_.clear();
    device_fences_ = relaxed_reads_ = false;
    locations_.clear(); // whatever runs next is ordered by its stream, or not at all
    // Bulk copies of finished launches are only looked at when streams overlap; keep a bounded number.
    while (async_ops_.size() > 1u << 16) {
        async_ops_.pop_front();
        ++first_async_;
    }
}

void Detector::block_begin(Block& block) {
    const uint64_t id = launch_.base + block.linear;
    std::unique_ptr<BlockState> bs;
    if (!spare_blocks_.empty()) {
        bs = std::move(spare_blocks_.back());
        spare_blocks_.pop_back();
    } else {
        bs = std::make_unique<BlockState>();
    }
    bs->id = id;
    bs->shadow.reset(block.shared.size());
    bs->locations.clear();
    bs->idle_bulk_wait_pc = 0;
    bs->map_acquires.clear();
    bs->map_released.reset();
    for (auto& builder : bs->arriving)
        builder = {};
    for (auto& clock : bs->completed)
        clock.reset();
    bs->warps.resize(block.warps.size());
    for (auto& warp : block.warps) {
        auto& ws = bs->warps[warp->id];
        if (ws)
            *ws = {};
        else
            ws = std::make_unique<WarpState>();
        ws->block = id;
        ws->warp = warp->id;
        ws->population = warp->population;
        ws->common = launch_.nothing;
        warp->detector = ws.get();
    }
    block.detector = bs.get();
    blocks_[id] = std::move(bs);
}

void Detector::block_end(Block& block) {
    report_early(&state(block));
    auto it = blocks_.find(state(block).id);
    spare_blocks_.push_back(std::move(it->second));
    blocks_.erase(it);
}

bool Detector::written_by_kernel(memory::Allocation& allocation, uint64_t address, uint64_t bytes,
                                 machine::OperationId since) {
    if (!allocation.shadow)
        return false;
    auto it = std::lower_bound(operations_.begin(), operations_.end(), since,
                               [](const Operation& operation, machine::OperationId id) { return operation.id < id; });
    const uint64_t first_block = it == operations_.end() ? UINT64_MAX : it->base;
    GlobalShadow& global = shadow(allocation);
    bool all = true;
    for_cells(address - allocation.address, uint32_t(bytes), global.pool,
              [&](uint64_t offset) -> Cell& { return global.cell(offset); },
              [&](Cell& cell) {
                  switch (kind_of(cell.write)) {
                  case EpochKind::plain:
                  case EpochKind::strong:
                  case EpochKind::copy:
                      all = all && block_of(cell.write) >= first_block;
                      break;
                  case EpochKind::async:
                      all = all && number_of(cell.write) >= first_async_ &&
                            async_ops_[number_of(cell.write) - first_async_].block >= first_block;
                      break;
                  default:
                      all = false;
                  }
              });
    return all;
}

// --- host operations ------------------------------------------------------------------------------------------------

namespace {

/// Calls whole_page(page) for pages that lie in the range entirely, else cell(cell).
template <class Whole, class PerCell>
void for_range(GlobalShadow& global, uint64_t offset, uint64_t bytes, Whole&& whole_page, PerCell&& per_cell) {
    const uint64_t end = offset + bytes;
    while (offset < end) {
        GlobalShadow::Page& page = global.pages[offset / GlobalShadow::page_bytes];
        const uint64_t page_end = (offset / GlobalShadow::page_bytes + 1) * GlobalShadow::page_bytes;
        const uint64_t stop = std::min(end, page_end);
        if (offset % GlobalShadow::page_bytes == 0 && stop == page_end && whole_page(page)) {
            offset = stop;
            continue;
        }
        for_cells(offset, uint32_t(stop - offset), global.pool,
                  [&](uint64_t at) -> Cell& { return global.cell(at); }, per_cell);
        offset = stop;
    }
}

} // namespace

void Detector::host_write(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const machine::Order& order,
                          machine::OperationId id, std::string_view what) {
    launch_.base = next_block_;
    launch_.async_base = first_async_ + async_ops_.size();
    launch_.order = order;
    operations_.push_back({id, next_block_, 1, std::string(what)});
    const Epoch mine = make_epoch(EpochKind::host, next_block_++, 0, 0, 0);
    GlobalShadow& global = shadow(allocation);
    const bool check = !order.unordered.empty();
    WarpState nobody;
    nobody.common = launch_.nothing;
    bool reported = false;
    for_range(global, address - allocation.address, bytes,
              [&](GlobalShadow::Page& page) {
                  if (check && (page.cells || !ordered(nobody, 0, page.write)))
                      return false;
                  page.cells.reset();
                  page.write = mine;
                  return true;
              },
              [&](Cell& cell) {
                  Reader bad;
                  const bool write_fine = !check || ordered(nobody, 0, cell.write);
                  const bool fine = write_fine && (!check || reads_ordered(nobody, 0, cell, global.sets, Proxy::generic, false, &bad));
                  if (!fine && !reported) {
                      reported = true;
                      Finding finding;
                      finding.rule = find_rule("stream-race");
                      finding.first.action = std::string(what) + " writes device memory";
                      finding.others.push_back(place(write_fine ? bad.epoch : cell.write,
                                                     write_fine ? bad.pc : cell.write_pc,
                                                     write_fine ? "read it" : "wrote it"));
                      finding.message = fmt::format("{} writes bytes that {} uses, and no stream order, event or "
                                                    "synchronisation puts one before the other.",
                                                    what, finding.others.back().kernel.empty() ? "other work" : finding.others.back().kernel);
                      emit(std::move(finding));
                  }
                  cell.write = mine;
                  cell.write_pc = 0;
                  cell.read = 0;
              });
}

void Detector::host_read(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const machine::Order& order,
                         machine::OperationId id, std::string_view what) {
    if (order.unordered.empty() || !allocation.shadow)
        return; // host reads are ordered with everything executed so far; a later write is checked against nothing
    launch_.order = order;
    launch_.base = next_block_;
    launch_.async_base = first_async_ + async_ops_.size();
    (void)id;
    WarpState nobody;
    nobody.common = launch_.nothing;
    bool reported = false;
    for_range(shadow(allocation), address - allocation.address, bytes,
              [&](GlobalShadow::Page& page) { return !page.cells && ordered(nobody, 0, page.write); },
              [&](Cell& cell) {
                  if (reported || ordered(nobody, 0, cell.write))
                      return;
                  reported = true;
                  Finding finding;
                  finding.rule = find_rule("stream-race");
                  finding.first.action = std::string(what) + " reads device memory";
                  finding.others.push_back(place(cell.write, cell.write_pc, "wrote it"));
                  finding.message = fmt::format("{} reads bytes that other work writes, and no stream order, event or "
                                                "synchronisation puts one before the other.", what);
                  emit(std::move(finding));
              });
}

// --- places ---------------------------------------------------------------------------------------------------------

Place Detector::place(uint32_t pc, std::string action) const {
    Place result;
    result.action = std::move(action);
    machine::DecodedFunction* function = pc ? function_at_(pc) : nullptr;
    if (!function)
        return result;
    result.kernel = demangled(function->function->name);
    const auto& lines = function->module->sources().lines(*function->function, pc - function->first_pc);
    if (lines.empty())
        return result;
    result.file = lines.front().file;
    result.line = lines.front().line;
    result.column = lines.front().column;
    for (size_t i = 1; i < lines.size(); ++i)
        result.alternatives.push_back(fmt::format("{}:{}", lines[i].file, lines[i].line));
    return result;
}

Place Detector::place(Epoch e, uint32_t pc, std::string action) const {
    Place result = place(pc, std::move(action));
    uint64_t block = 0;
    uint32_t warp = 0, lanes = 0;
    switch (kind_of(e)) {
    case EpochKind::plain:
    case EpochKind::strong:
    case EpochKind::copy:
        block = block_of(e);
        warp = warp_of(e);
        lanes = 1u << lane_of(e);
        break;
    case EpochKind::async:
        if (number_of(e) >= first_async_) {
            const AsyncOp& op = async_ops_[number_of(e) - first_async_];
            block = op.block;
            warp = op.warp;
            lanes = 1u << op.lane;
        }
        break;
    default:
        block = block_of(e);
    }
    auto it = std::upper_bound(operations_.begin(), operations_.end(), block,
                               [](uint64_t b, const Operation& operation) { return b < operation.base; });
    if (it != operations_.begin()) {
        const Operation& operation = *std::prev(it);
        if (result.kernel.empty() || operation.base != launch_.base)
            result.kernel = operation.what;
        if (lanes)
            result.threads.add(block - operation.base, warp * 32, lanes);
    }
    return result;
}

} // namespace sim::hazards
