// Loads that are reported later, or never: those that read bytes before they were written for the first time, and those
// that the compiler has moved in front of their condition.
#include "sim/hazards/conflict.h"

namespace sim::hazards {

uint32_t Detector::hold(Finding finding) {
    pending_.push_back({std::move(finding)});
    return uint32_t(pending_.size());
}

uint32_t Detector::hold_early(const WarpState& ws, uint32_t lane, uint32_t pc, std::optional<Finding> finding) {
    const bool early = finding.has_value();
    uint32_t& number = early_[{make_epoch(EpochKind::none, ws.block, ws.warp, lane, 0), pc}];
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
    report.early = early;
    if (early)
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
        if (finding.rule->name != "early-phase") {
            const WarpState* reader = c.issuer();
            const bool waited = reader && reader->last_wait[lane_of(c.other)].pc;
            finding.rule = find_rule(!copy    ? "read-after-write-race"
                                     : waited ? "missing-barrier-after-wait"
                                              : "missing-wait");
            finding.first.action = copy ? "read bytes that another thread's copy was to write"
                                        : "read shared memory that another thread wrote later";
            finding.message =
                copy ? "Nothing orders the copy, and a wait by the thread that issued it, before this read. "
                       "Here the read came first."
                     : "Nothing orders the write before this read. Here the read came first.";
            finding.remedy = "Put __syncthreads() (or a barrier that both threads take part in) between them.";
        }
        finding.others.push_back(place(c.x.pc(), copy ? "issued the copy" : "wrote it"));
        report.settled = true;
    }
    if (report.finding.others.empty())
        return true; // another read of this line has told
    report.finding.others.back().threads.add(c.x.block.linear, c.x.warp.id * 32, 1u << c.lane);
    if (report.used)
        emit(report.finding);
    return true;
}

void Detector::report_early(uint64_t block) {
    if (!early_blocks_.erase(block))
        return;
    for (auto& report : pending_)
        if (report.early && report.block == block && report.used && !report.settled) {
            emit(report.finding);
            report.settled = true;
        }
}

} // namespace sim::hazards
