// Loads that are reported later, or never: those that read bytes before they were written for the first time, and those
// that the compiler has moved in front of their condition.
#include "sim/hazards/conflict.h"

namespace sim::hazards {

uint32_t Detector::hold(Finding finding) {
    pending_.push_back({std::move(finding)});
    return uint32_t(pending_.size());
}

uint32_t Detector::hold_early(const WarpState& ws, uint32_t lane, uint32_t pc, ptx::Space space,
                              std::optional<Finding> finding) {
    const bool early = finding.has_value();
    const Epoch thread = make_epoch(EpochKind::none, ws.block, ws.warp, lane, 0);
    uint32_t& number = early_[{thread, pc}];
    if (number && early && pending_[number - 1].early && !pending_[number - 1].settled)
        return number;                                    // the same again
    if (!number || early || pending_[number - 1].early) { // a speculated load that is executed again needs no new entry
        pending_.push_back({});
        number = uint32_t(pending_.size());
    }
    PendingReport& report = pending_[number - 1];
    report = {};
    if (early)
        report.finding = std::move(*finding);
    report.block = ws.block;
    report.thread = thread;
    report.space = space;
    report.early = early;
    if (early && space == ptx::Space::shared)
        early_blocks_.insert(ws.block);
    return number;
}

void Detector::used(Exec&, const Op&, uint32_t number) {
    if (!number || number > pending_.size())
        return;
    PendingReport& report = pending_[number - 1];
    report.used = true;
    if (report.early && !report.settled)
        return; // perhaps somebody writes these bytes yet
    if (report.finding.rule)
        emit(report.finding);
}

bool Detector::settle_early(Conflict& c) {
    if (c.other_wrote || (kind_of(c.other) != EpochKind::plain && kind_of(c.other) != EpochKind::strong))
        return false;
    const auto it = early_.find({c.other & thread_field, c.other_pc});
    if (it == early_.end())
        return false;
    PendingReport& report = pending_[it->second - 1];
    if (!report.early) { // a speculated load
        if (report.used)
            return false;
        c.ordinary();
        c.finding.kernel = launch_.kernel;
        report.finding = std::move(c.finding);
        return true;
    }
    if (!report.settled) {
        // The bytes had never been written when they were read: what is missing is the order of this write and that
        // read.
        using R = Role;
        Finding& finding = report.finding;
        const bool copy = c.role == R::copy_destination || c.role == R::async_write;
        if (finding.rule->name != "early-phase")
            Conflict::name_early_read(finding, c.role, c.issuer(), lane_of(c.other), report.space);
        finding.others.push_back(place(c.x.pc(), copy ? "issued the copy" : "wrote it"));
        report.settled = true;
    }
    if (report.finding.others.empty())
        return true; // another read of this line has told
    if (report.told_by) {
        PendingReport& told = pending_[report.told_by - 1];
        if (!told.finding.others.empty()) {
            told.finding.others.back().threads.add(c.x.block.linear, c.x.warp.id * 32, 1u << c.lane);
            emit(told.finding);
        }
        return true;
    }
    report.finding.others.back().threads.add(c.x.block.linear, c.x.warp.id * 32, 1u << c.lane);
    if (report.used)
        emit(report.finding);
    // The thread may have read them before at the same line, through other instructions (unrolled loops).
    for (auto& same : pending_)
        if (same.early && !same.settled && same.thread == report.thread &&
            same.finding.first.line == report.finding.first.line &&
            same.finding.first.file == report.finding.first.file)
            same.settled = true, same.told_by = it->second;
    return true;
}

void Detector::report_early(const BlockState* block) {
    if (block && !early_blocks_.erase(block->id))
        return;
    for (auto& report : pending_)
        if (report.early && report.used && !report.settled &&
            (block ? report.block == block->id : report.space == ptx::Space::global)) {
            if (report.finding.rule->name == "early-phase") { // nobody ever wrote them: no phase stands for them
                report.finding.rule = find_rule("uninitialised-read");
                report.finding.message = "Nothing has written these bytes of shared memory since the block began.";
                report.finding.remedy.clear();
                report.finding.others.clear();
            }
            emit(report.finding);
            report.settled = true;
        }
}

} // namespace sim::hazards
