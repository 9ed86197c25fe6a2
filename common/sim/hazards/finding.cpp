#include "sim/hazards/finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/hazards/rule.h"

namespace sim::hazards {
namespace {

constexpr size_t shown_blocks = 64;

std::string ranges(const std::set<uint32_t>& numbers) {
    std::string text;
    for (auto it = numbers.begin(); it != numbers.end();) {
        uint32_t first = *it, last = first;
        while (++it != numbers.end() && *it == last + 1)
            ++last;
        text +=
            (text.empty() ? "" : ", ") + (first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
    }
    return text;
}

// "thread 5", "threads 0-31", "100 of threads 0-255": long lists of single numbers say less than their extent.
std::string summary(const std::set<uint32_t>& numbers, const char* noun) {
    const std::string text = ranges(numbers);
    if (text.size() > 40)
        return fmt::format("{} of {}s {}-{}", numbers.size(), noun, *numbers.begin(), *numbers.rbegin());
    return fmt::format("{}{} {}", noun, numbers.size() == 1 ? "" : "s", text);
}

} // namespace

void ThreadSet::add(uint64_t block, uint32_t first_thread, uint32_t lane_mask) {
    auto it = threads_.find(block);
    if (it == threads_.end()) {
        if (threads_.size() >= shown_blocks) {
            ++hidden_;
            return;
        }
        it = threads_.emplace(block, std::set<uint32_t>{}).first;
    }
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (lane_mask >> lane & 1)
            it->second.insert(first_thread + lane);
}

std::string ThreadSet::text() const {
    if (threads_.empty())
        return text_;
    const auto& threads = threads_.begin()->second;
    bool same = true;
    std::set<uint32_t> blocks;
    for (const auto& [block, set] : threads_) {
        same = same && set == threads;
        blocks.insert(uint32_t(block));
    }
    const std::string who = summary(threads, "thread");
    const std::string where = hidden_ ? fmt::format("more than {} blocks", shown_blocks) : summary(blocks, "block");
    if (blocks.size() == 1)
        return fmt::format("{} of {}", who, where);
    return same ? fmt::format("{} of {}", who, where)
                : fmt::format("{} of block {}, and others in {}", who, *blocks.begin(), where);
}

void Reporter::add(Finding finding) {
    for (auto& known : findings_) {
        bool same = known.rule == finding.rule && known.first.file == finding.first.file &&
                    known.first.line == finding.first.line && known.others.size() == finding.others.size() &&
                    known.kernel == finding.kernel;
        for (size_t i = 0; same && i < known.others.size(); ++i)
            same = known.others[i].file == finding.others[i].file && known.others[i].line == finding.others[i].line;
        if (!same)
            continue;
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
        return;
    }
    findings_.push_back(std::move(finding));
}

size_t Reporter::errors() const {
    return size_t(std::count_if(findings_.begin(), findings_.end(), [](const Finding& f) { return !f.note; }));
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
