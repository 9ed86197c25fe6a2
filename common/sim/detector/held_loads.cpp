#include "sim/detector/held_loads.h"

#include <algorithm>

namespace sim::hazards {

void HeldLoads::launch_begin() {
    suspects_ = 0;
    loads_.clear();
    free_.clear();
    dropped_ = 0;
    first_.clear();
    early_.clear();
    of_thread_.clear();
    of_block_.clear();
}

void HeldLoads::launch_end() {
    for (Load& load : loads_)
        if (load.space == ptx::Space::global)
            report_unwritten(load);
    launch_begin();
}

void HeldLoads::block_end(uint64_t block, bool alone) {
    const auto mine = of_block_.find(block);
    if (mine == of_block_.end())
        return;
    for (const uint32_t number : mine->second) {
        if (!loads_[number - 1].early) {
            forget_speculated(number, alone);
            continue;
        }
        Load& load = loads_[number - 1];
        load.explain = nullptr; // its value has not been used, and no thread can use it any more
        if (load.space == ptx::Space::shared)
            report_unwritten(load);
    }
    of_block_.erase(mine);
}

/// Its thread has ended, so that only a later write can ask whether its value was used.
void HeldLoads::forget_speculated(uint32_t number, bool alone) {
    const Load& load = loads_[number - 1];
    free_.push_back(number);
    const auto known = early_.find({load.thread, load.pc});
    if (known == early_.end() || known->second != number)
        return;
    if (load.used || (alone && load.space == ptx::Space::shared)) {
        early_.erase(known);
        return;
    }
    if (!dropped_) {
        dropped_ = free_.back();
        free_.pop_back();
        loads_[dropped_ - 1] = {};
    }
    known->second = dropped_;
}

void HeldLoads::complete(Load& load) {
    if (!load.explain)
        return;
    if (auto finding = load.explain())
        load.finding = std::move(*finding);
    else
        load.settled = true;
    load.explain = nullptr;
}

uint32_t HeldLoads::hold(Finding finding) {
    // In a loop a sum keeps only its last load's number, which then represents the first one of these lines.
    const uint32_t other = finding.others.empty() ? 0 : finding.others.front().line;
    const auto known = first_.try_emplace({finding.rule, finding.first.line, other}, finding.number).first;
    finding.number = known->second;
    loads_.push_back({.finding = std::move(finding)});
    return uint32_t(loads_.size());
}

HeldLoads::Load& HeldLoads::slot(const WarpClock& warp, uint32_t lane, uint32_t pc, ptx::Space space, bool early,
                                 uint32_t& number) {
    const Epoch thread = make_epoch(EpochKind::none, warp.block, warp.warp, lane, 0);
    uint32_t& known = early_[{thread, pc}];
    if (!known || early || loads_[known - 1].early) { // a speculated load that is executed again needs no new entry
        if (free_.empty()) {
            loads_.push_back({});
            known = uint32_t(loads_.size());
        } else {
            known = free_.back();
            free_.pop_back();
        }
        of_block_[warp.block].push_back(known);
        if (early)
            of_thread_[thread].push_back(known);
    }
    number = known;
    Load& load = loads_[number - 1];
    if (load.used || load.finding.rule || load.early)
        load = {};
    load.block = warp.block;
    load.thread = thread;
    load.pc = pc;
    load.space = space;
    load.early = early;
    return load;
}

uint32_t HeldLoads::hold_early(const WarpClock& warp, uint32_t lane, uint32_t pc, Spot spot, bool by_phase,
                               Explain explain) {
    suspects_ += spot.space() == ptx::Space::global;
    const Epoch thread = make_epoch(EpochKind::none, warp.block, warp.warp, lane, 0);
    if (const auto known = early_.find({thread, pc}); known != early_.end())
        if (const Load& load = loads_[known->second - 1]; load.early && !load.settled)
            return known->second; // the same again
    uint32_t number = 0;
    Load& load = slot(warp, lane, pc, spot.space(), true, number);
    load.explain = std::move(explain);
    load.by_phase = by_phase;
    return number;
}

uint32_t HeldLoads::hold_speculated(const WarpClock& warp, uint32_t lane, uint32_t pc, ptx::Space space) {
    uint32_t number = 0;
    slot(warp, lane, pc, space, false, number);
    return number;
}

bool HeldLoads::may_be_dropped(Epoch reader, uint32_t pc) const {
    if (early_.empty() || !has_lane(reader))
        return false;
    const auto it = early_.find({reader & thread_field, pc});
    return it != early_.end() && !loads_[it->second - 1].early && !loads_[it->second - 1].used;
}

void HeldLoads::used(uint32_t number) {
    if (!number || number > loads_.size())
        return;
    Load& load = loads_[number - 1];
    load.used = true;
    complete(load);
    if (load.early && !load.settled)
        return; // another thread may still write these bytes
    if (load.finding.rule)
        findings_.add(load.finding);
}

void HeldLoads::stopped() {
    for (Load& load : loads_)
        if (load.finding.rule && load.finding.returned_at_once && !load.used)
            findings_.add(load.finding);
}

bool HeldLoads::settle(const WarpState& warp, uint32_t pc, const Unordered& write, const Place& here) {
    if (early_.empty() || write.other_wrote ||
        (kind_of(write.other) != EpochKind::plain && kind_of(write.other) != EpochKind::strong))
        return false;
    const auto it = early_.find({write.other & thread_field, write.other_pc});
    if (it == early_.end())
        return false;
    if (it->second == dropped_)
        return true;
    Load& load = loads_[it->second - 1];
    if (!load.early && load.used)
        return false;
    complete(load);
    const Conflict conflict(context_, warp, pc, write);
    if (load.early && !load.settled && !load.by_phase && conflict.crossed_barriers()) { // that is the cause
        if (auto finding = findings_.explain(conflict, here, load.finding.first))
            load.finding = std::move(*finding);
        load.settled = true;
        if (load.used)
            findings_.add(load.finding);
        early_.erase(it);
        return true;
    }
    if (load.early) {
        settle_early(it->second, conflict, here);
        return true;
    }
    if (auto finding = findings_.explain(conflict, here, context_.places.of(write.other, write.other_pc, {})))
        load.finding = std::move(*finding);
    return true;
}

/// The bytes had never been written when they were read: this write and that read are not ordered.
void HeldLoads::settle_early(uint32_t number, const Conflict& write, const Place& here) {
    Load& load = loads_[number - 1];
    if (!load.settled) {
        const WarpState* reader = context_.blocks.warp(block_of(write.other), warp_of(write.other));
        EarlyRead facts{write.role,   reader && reader->history.group_waits[lane_of(write.other)].pc,
                        load.space,   write.apart(),
                        write.name(), write.named_barriers()};
        facts.writer_waited = context_.places.library_call(write.phase_wait().pc);
        if (load.by_phase) { // it says already that the phase was over too soon
            load.finding.others.push_back(here);
            load.finding.others.back().action = facts.by_copy() ? "issued the copy" : "wrote it";
            load.finding.others.back().threads = {};
        } else if (auto finding = findings_.explain(facts, here, std::move(load.finding.first))) {
            finding->others.front().threads = {};
            if (load.finding.number) // it happened when the value was used
                finding->number = load.finding.number;
            load.finding = std::move(*finding);
        }
        load.settled = true;
    }
    if (load.finding.others.empty())
        return; // another read of this line has reported it
    auto add_writer = [&](Finding& finding) {
        for (const auto& [block, threads] : here.threads.blocks())
            for (const uint32_t thread : threads)
                finding.others.back().threads.add(block, thread, 1);
    };
    if (load.reported_by) {
        Load& reporting = loads_[load.reported_by - 1];
        if (!reporting.finding.others.empty()) {
            add_writer(reporting.finding);
            findings_.add(reporting.finding);
        }
        return;
    }
    add_writer(load.finding);
    if (load.used)
        findings_.add(load.finding);
    // The thread may have read them before at the same line, through other instructions (unrolled loops).
    for (const uint32_t other : of_thread_[load.thread]) {
        Load& same = loads_[other - 1];
        if (!same.early || same.settled)
            continue;
        complete(same);
        if (same_code(same.finding.first, load.finding.first))
            same.settled = true, same.reported_by = number;
    }
}

/// Has only the load's own warp done that?
bool HeldLoads::by_warp_of(const Finding& finding, const Load& load) const {
    const auto& blocks = finding.first.threads.blocks();
    const uint32_t warp = warp_of(load.thread);
    return blocks.size() == 1 && blocks.begin()->first == load.block - context_.ordering.operations.base() &&
           std::all_of(blocks.begin()->second.begin(), blocks.begin()->second.end(),
                       [warp](uint32_t thread) { return thread / 32 == warp; });
}

void HeldLoads::report_unwritten(Load& load) {
    if (!load.early || !load.used || load.settled)
        return;
    if (load.by_phase) // they were never written, so no phase stands for them
        Findings::restate(load.finding, NeverWritten{});
    // Only now is it certain that the bytes were never written, which is mostly a consequence of earlier findings.
    // What the same warp has done wrong since it used the value may be a consequence of that.
    const auto& known = findings_.reporter.findings();
    const auto cause =
        std::find_if(known.rbegin(), known.rend(), [&](const Finding& one) { return !by_warp_of(one, load); });
    if (cause != known.rend())
        load.finding.number = std::max(load.finding.number, cause->number);
    findings_.add(load.finding);
    load.settled = true;
}

} // namespace sim::hazards
