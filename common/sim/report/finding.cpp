#include "sim/report/finding.h"

#include <algorithm>
#include <utility>

namespace sim::hazards {

size_t promote_warnings(std::vector<Finding>& findings) {
    size_t count = 0;
    for (auto& finding : findings)
        if (finding.severity == Severity::warning) {
            finding.severity = Severity::error;
            ++count;
        }
    return count;
}

void Reporter::name_place(Place& place) {
    if (!place.site)
        return;
    const auto [call, is_new] = calls_.try_emplace(place.site);
    if (is_new)
        unnamed_.push_back(place.site);
    if (!call->second.known)
        return;
    const NamedCall& named = call->second;
    place.file = named.file;
    place.line = named.line;
    if (place.file.empty() && !named.function.empty())
        place.action += " (" + named.function + "; build the program with -g for the line)";
    place.site = 0;
}

void Reporter::name_places(Finding& finding) {
    name_place(finding.first);
    for (Place& other : finding.others)
        name_place(other);
}

std::vector<events::CallSite> Reporter::take_unnamed_calls() {
    return std::exchange(unnamed_, {});
}

void Reporter::name_call(events::CallSite call, std::string file, uint32_t line, std::string function) {
    const auto found = calls_.find(call);
    if (found == calls_.end() || found->second.known)
        return;
    found->second = {true, std::move(file), std::move(function), line};
    for (Finding& finding : findings_)
        name_places(finding);
}

void Reporter::retract(const Rule& rule, const Finding& cause) {
    const auto at = [](const Place& a, const Place& b) { return a.line && a.line == b.line && a.file == b.file; };
    changes_ += std::erase_if(findings_, [&](const Finding& finding) {
        return finding.rule == &rule &&
               (at(finding.first, cause.first) ||
                std::ranges::any_of(cause.others, [&](const Place& other) { return at(finding.first, other); }));
    });
}

void Reporter::add(Finding finding) {
    ++changes_;
    name_places(finding);
    // What happened first comes first: it may be the cause of the others.
    const auto later = [](uint64_t number, const Finding& known) { return number < known.number; };
    for (auto& known : findings_) { // an error must not disappear in a milder finding about the same lines
        bool same = known.rule == finding.rule && known.severity == finding.severity &&
                    known.first.file == finding.first.file && known.first.line == finding.first.line &&
                    known.first.site == finding.first.site && known.others.size() == finding.others.size() &&
                    known.kernel == finding.kernel;
        for (size_t i = 0; same && i < known.others.size(); ++i)
            same = known.others[i].file == finding.others[i].file && known.others[i].line == finding.others[i].line &&
                   known.others[i].site == finding.others[i].site;
        if (!same)
            continue;
        const bool earlier = finding.number < known.number;
        if (earlier) { // a load whose value was used later: what happened first has the word
            std::swap(finding, known);
            known.count = finding.count;
            known.seen.moment = finding.seen.moment;
        }
        ++known.count;
        auto merge = [](Place& into, const Place& from) {
            for (const auto& [block, threads] : from.threads.blocks())
                for (uint32_t thread : threads)
                    into.threads.add(block, thread, 1);
        };
        if (known.count < 4096) {
            merge(known.first, finding.first);
            for (size_t i = 0; i < known.others.size(); ++i)
                merge(known.others[i], finding.others[i]);
        }
        if (earlier) {
            const auto at = findings_.begin() + (&known - findings_.data());
            std::rotate(std::upper_bound(findings_.begin(), at, known.number, later), at, at + 1);
        }
        return;
    }
    if (moment)
        finding.seen.moment = moment();
    const auto at = std::upper_bound(findings_.begin(), findings_.end(), finding.number, later);
    findings_.insert(at, std::move(finding));
}

void Reporter::soften(Finding milder) {
    ++changes_;
    const auto error = std::ranges::find_if(findings_, [&](const Finding& known) {
        return known.rule == milder.rule && known.severity == Severity::error &&
               known.first.file == milder.first.file && known.first.line == milder.first.line &&
               known.first.action == milder.first.action;
    });
    if (error == findings_.end())
        return;
    milder.number = error->number;
    if (--error->count == 0)
        findings_.erase(error);
    add(std::move(milder));
}

size_t Reporter::errors() const {
    return size_t(std::ranges::count(findings_, Severity::error, &Finding::severity));
}

const char* name(machine::Schedule::Completion completion) {
    switch (completion) {
    case machine::Schedule::Completion::lazy:
        return "lazy";
    case machine::Schedule::Completion::eager:
        return "eager";
    default:
        return "random";
    }
}

} // namespace sim::hazards
