#include "sim/report/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/rules/customary.h"
#include "sim/rules/library_words.h"
#include "sim/rules/list.h"

namespace sim::hazards {
namespace {

struct Judgement {
    const Rule* rule;
    Explanation text;
};

std::optional<Judgement> judge(const Facts& facts) {
    for (const Rule* rule : rules())
        if (auto text = rule->explain(facts))
            return Judgement{rule, std::move(*text)};
    return std::nullopt;
}

/// "First seen at tile[63], between threads 0 and 63." Empty: the bytes have no name.
std::string first_seen(const Conflict& conflict) {
    const std::string name = conflict.name();
    if (name.empty())
        return {};
    const auto here = conflict.thread();
    const auto there = conflict.other_thread();
    if (conflict.undefined() || !there || *there == here)
        return fmt::format(" First seen at {}.", name);
    if (there->first == here.first)
        return fmt::format(" First seen at {}, between threads {} and {}.", name, std::min(here.second, there->second),
                           std::max(here.second, there->second));
    return fmt::format(" First seen at {}, between thread {} of block {} and thread {} of block {}.", name, here.second,
                       here.first, there->second, there->first);
}

Sighting sighting(const Conflict& conflict) {
    Sighting seen{.pc = conflict.pc,
                  .block = conflict.thread().first,
                  .thread = conflict.thread().second,
                  .shared = conflict.shared(),
                  .at = conflict.spot.at,
                  .owner = conflict.shared() ? conflict.spot.block->linear : 0};
    if (const auto there = conflict.other_thread(); there && !conflict.undefined()) {
        seen.other_pc = conflict.other_pc;
        seen.other_block = there->first;
        seen.other_thread = there->second;
    }
    return seen;
}

/// Empty: it is no conflict in Tensor Memory.
Sighting sighting(const TensorConflict* conflict, const Place& here, const std::optional<Place>& there) {
    Sighting seen;
    const auto& blocks = here.threads.blocks();
    if (!conflict || blocks.empty())
        return seen;
    const auto thread = [](const TensorUse& use) { return use.warp * 32 + use.lane; };
    seen.pc = conflict->now.pc;
    seen.block = blocks.begin()->first;
    seen.thread = thread(conflict->now);
    if (there && !there->threads.blocks().empty()) {
        seen.other_pc = conflict->other.pc;
        seen.other_block = there->threads.blocks().begin()->first;
        seen.other_thread = thread(conflict->other);
    }
    return seen;
}

/// Finding::named_barrier; 0: the two threads use different ones.
uint32_t not_met_at(const Conflict::NamedBarriers& barriers) {
    const auto &mine = barriers.mine, &others = barriers.others;
    if (mine.expected && others.expected && mine.id != others.id)
        return 0;
    return (mine.expected ? mine.id : others.id) + 1;
}

} // namespace

std::optional<Finding> Findings::build(const Rule& rule, Explanation text, Place here,
                                       std::optional<Place> there) const {
    Finding finding;
    finding.rule = &rule;
    finding.kernel = kernel;
    here.action = std::move(text.reversed ? text.other_action : text.action);
    if (there)
        there->action = std::move(text.reversed ? text.action : text.other_action);
    if (text.reversed && there)
        std::swap(here, *there);
    finding.first = std::move(here);
    if (there)
        finding.others.push_back(std::move(*there));
    for (auto& [pc, what] : text.also)
        finding.others.push_back(places_.at(pc, std::move(what)));
    for (auto& [call, what] : text.also_calls) {
        finding.others.emplace_back();
        finding.others.back().site = call;
        finding.others.back().action = std::move(what);
    }
    distinguish(finding.first, finding.others);
    if (text.cause.first) {
        finding.others.insert(finding.others.begin(), std::move(finding.first));
        finding.first = places_.at(text.cause.first, std::move(text.cause.second));
    }
    finding.message = std::move(text.message);
    finding.remedy = std::move(text.remedy);
    finding.severity = std::max(text.severity, rule.severity);
    finding.cause_is_wait = text.cause_is_wait;
    finding.returned_at_once = text.returned_at_once;
    finding.number = ++seen_;
    return finding;
}

std::optional<Finding> Findings::explain(const Facts& facts, Place here, std::optional<Place> there) const {
    auto judged = judge(facts);
    if (!judged)
        return std::nullopt;
    if (const auto* early = facts.as<EarlyRead>()) {
        if (!early->name.empty())
            judged->text.message += fmt::format(" First seen at {}.", early->name);
        if (early->named)
            named_barriers_apart(*early->named, judged->text);
    }
    const Sighting seen = sighting(facts.as<TensorConflict>(), here, there);
    auto finding = build(*judged->rule, std::move(judged->text), std::move(here), std::move(there));
    if (finding)
        finding->seen = seen;
    if (const auto* early = facts.as<EarlyRead>(); finding && early && early->named)
        finding->named_barrier = not_met_at(*early->named);
    return finding;
}

std::optional<Finding> Findings::explain(const Conflict& conflict, Place here, std::optional<Place> there) const {
    auto judged = judge(conflict);
    if (!judged)
        return std::nullopt;
    Explanation& text = judged->text;
    relaxed_wait(conflict, text);
    pipeline_words(conflict, text);
    text.message += first_seen(conflict);
    text.severity = std::max(text.severity, judged->rule->severity);
    if (text.severity != Severity::note)
        if (const auto milder = only_customary_edge(conflict, text))
            text.severity = std::max(text.severity, *milder);
    named_barriers_apart(conflict, text);
    auto finding = build(*judged->rule, std::move(text), std::move(here), std::move(there));
    if (finding)
        finding->seen = sighting(conflict), finding->issuer_waited_on = conflict.issuer_waited_on();
    if (const auto named = conflict.named_barriers(); finding && named)
        finding->named_barrier = not_met_at(*named);
    return finding;
}

void Findings::restate(Finding& finding, const Facts& facts) {
    const auto judged = judge(facts);
    if (!judged)
        return;
    if (finding.cause_is_wait) {
        std::swap(finding.first, finding.others.front());
        finding.others.front().action = "the wait";
    } else if (finding.first.threads.empty()) { // a cause that explains it
        return;
    }
    finding.rule = judged->rule;
    finding.message = judged->text.message;
    finding.remedy = judged->text.remedy;
}

void Findings::blame(const ReleasedTooSoon& facts) {
    const auto judged = judge(facts);
    const auto& [pc, what] = judged->text.cause;
    const Place init = places_.at(pc, what);
    reporter.revise([&](Finding& finding) {
        if (finding.kernel != kernel)
            return false;
        if (same_code(finding.first, init))
            return true; // it is known
        if (!finding.issuer_waited_on || !same_code(places_.at(finding.issuer_waited_on, {}), init))
            return false;
        if (finding.returned_at_once)
            return true; // that is worse
        if (!finding.first.threads.empty())
            finding.others.insert(finding.others.begin(), std::move(finding.first));
        finding.first = init;
        finding.rule = judged->rule;
        finding.message = judged->text.message;
        finding.remedy = judged->text.remedy;
        return true;
    });
}

void Findings::blame(const NamedCountTooSmall& facts) {
    const auto judged = judge(facts);
    const auto& cause = judged->text.cause;
    reporter.revise([&](Finding& finding) {
        if (finding.kernel != kernel || finding.named_barrier != facts.id + 1)
            return false;
        const Place bar = places_.at(cause.first, cause.second);
        std::erase_if(finding.others, [&](const Place& other) { return same_code(other, bar); });
        finding.others.insert(finding.others.begin(), std::exchange(finding.first, bar));
        finding.rule = judged->rule;
        finding.message = judged->text.message;
        finding.remedy = judged->text.remedy;
        finding.named_barrier = 0;
        return true;
    });
}

void Findings::complete(Finding& finding) const {
    if (finding.kernel.empty())
        finding.kernel = kernel;
    if (finding.remedy.empty())
        finding.remedy = finding.rule->remedy.text();
    finding.schedule = schedule;
}

void Findings::add(std::optional<Finding> finding) {
    if (!finding)
        return;
    complete(*finding);
    if (finding->rule == &rule::stream_race) // the bytes had no value yet because of that
        reporter.retract(rule::uninitialised_read, *finding);
    reporter.add(std::move(*finding));
}

void Findings::soften(Finding finding) {
    complete(finding);
    reporter.soften(std::move(finding));
}

} // namespace sim::hazards
