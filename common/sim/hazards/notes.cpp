// Findings that are legal, but worth knowing.
#include <algorithm>

#include <fmt/format.h>

#include "sim/hazards/detector.h"

namespace sim::hazards {
namespace {

constexpr uint64_t at_once = 16;       // warp instructions between the last copy and the wait for it
constexpr uint32_t waits_to_judge = 4; // a single tile cannot overlap with anything

using K = ptx::Operand::Kind;

bool holds_global(const machine::DecodedFunction& function, const ptx::Operand& operand) {
    if (operand.kind == K::reg)
        return operand.index < function.from_global.size() && function.from_global[operand.index];
    return operand.kind == K::vector &&
           std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const ptx::Operand& element) { return holds_global(function, element); });
}

bool is_copy_function(const std::string& file) {
    for (std::string_view part : {"memcpy_async", "cooperative_groups/details/async", "cuda_pipeline_helpers"})
        if (file.find(part) != std::string::npos)
            return true;
    return false;
}

} // namespace

void Detector::note_no_overlap(Exec& x, const Op& op, WarpState& ws, uint32_t mask) {
    const uint64_t now = x.warp.instructions + x.executed;
    ++ws.copy_wait_count;
    const bool all = ws.copies_issued && ws.copies_done[size_t(std::countr_zero(mask))] == ws.copies_issued;
    if (all && now - ws.last_copy_at <= at_once)
        ++ws.waits_at_once;
    if (ws.waits_at_once < waits_to_judge || 2 * ws.waits_at_once <= ws.copy_wait_count || !first_time(x.pc(), x.pc()))
        return;
    report(x, op, mask, "no-overlap", "waited",
           fmt::format(
               "{} of {} waits of this warp came at once after the copy that they wait for: nothing is done in the "
               "meantime.",
               ws.waits_at_once, ws.copy_wait_count));
}

void Detector::note_unwaited_phase(Warp& warp, uint32_t mask, uint32_t pc, const BarrierClock& clock) {
    if (!first_time(pc, clock.init_pc))
        return;
    Finding finding;
    finding.rule = find_rule("phase-without-wait");
    finding.first = place(pc, "arrived");
    finding.first.threads.add(warp.block.linear, warp.id * 32, mask);
    finding.message =
        fmt::format("This arrival belongs to phase {} of the mbarrier, and nobody has waited for phase {}.",
                    clock.phase, clock.phase - 1);
    emit(std::move(finding));
}

// A store, from the body of a copy function, of what was loaded from global memory.
void Detector::note_synchronous_copy(Exec& x, const Op& op, uint32_t mask) {
    const uint32_t pc = x.pc();
    if (pc >= stores_seen_.size())
        stores_seen_.resize(pc + 1024);
    stores_seen_[pc] = true;
    if (!op.source || op.source->operands.size() < 2 || !holds_global(*x.function, op.source->operands[1]))
        return;
    const auto chain = x.function->module->sources().chain(*x.function->function, x.fragment().pc);
    if (std::none_of(chain.begin(), chain.end(), [](const auto& link) { return is_copy_function(link.file); }))
        return;
    report(
        x, op, mask, "synchronous-copy", "copied through registers",
        fmt::format("The copy was compiled to ordinary loads and stores, {} byte{} at a time: source, destination and "
                    "size are not all known to be multiples of 4, 8 or 16 bytes.",
                    op.width, op.width == 1 ? "" : "s"));
}

} // namespace sim::hazards
