#include "sim/timeline/facts.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace sim::timeline {
namespace {

struct Interval {
    uint64_t begin, end;
};

/// When at least one warp computes: disjoint, in order.
std::vector<Interval> computing(const Timeline& timeline) {
    std::vector<Interval> all, merged;
    for (const auto& span : timeline.spans)
        if (span.kind == Span::Kind::compute)
            all.push_back({span.begin, span.end});
    std::ranges::sort(all, {}, &Interval::begin);
    for (const auto& interval : all)
        if (!merged.empty() && interval.begin <= merged.back().end)
            merged.back().end = std::max(merged.back().end, interval.end);
        else
            merged.push_back(interval);
    return merged;
}

uint64_t common(const std::vector<Interval>& intervals, uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    auto at = std::ranges::upper_bound(intervals, begin, {}, &Interval::end);
    for (; at != intervals.end() && at->begin < end; ++at)
        sum += std::min(at->end, end) - std::max(at->begin, begin);
    return sum;
}

/// `leaves`: the copies out of shared memory.
std::vector<Bar> bars_of(const std::vector<Copy>& copies, const std::vector<Flight>& flights,
                         const std::vector<bool>& leaves) {
    std::map<std::pair<std::string, uint32_t>, Bar> merged;
    for (const auto& flight : flights) {
        const Copy& copy = copies[flight.copy];
        auto [found, fresh] = merged.try_emplace({copy.name, copy.number});
        Bar& bar = found->second;
        if (fresh)
            bar = {.name = fmt::format("{} {}", copy.name, copy.number),
                   .place = copy.place,
                   .issued = flight.issued,
                   .out = leaves[flight.copy],
                   .number = copy.number};
        bar.bytes += copy.bytes;
        ++bar.warps;
        bar.issued = std::min(bar.issued, flight.issued);
        // The bar's end, and the arrow from it, show the part that lands last.
        const bool earlier = flight.observed && (!bar.observed || flight.observed < bar.observed);
        if (flight.landed > bar.landed || (flight.landed == bar.landed && earlier)) {
            bar.landed = flight.landed;
            bar.observed = flight.observed;
            bar.observer = flight.observer;
        }
    }
    std::vector<Bar> all;
    for (auto& [key, bar] : merged)
        all.push_back(std::move(bar));
    std::ranges::stable_sort(all, {}, &Bar::issued);
    std::vector<uint64_t> free; // when each lane is
    for (auto& bar : all) {
        const auto lane = std::ranges::find_if(free, [&](uint64_t time) { return time <= bar.issued; });
        bar.lane = uint32_t(lane - free.begin());
        if (lane == free.end())
            free.push_back(bar.end());
        else
            *lane = bar.end();
    }
    return all;
}

} // namespace

std::vector<Bar> bars(const Recording& recording, const Timeline& timeline) {
    std::vector<bool> leaves(recording.copies.size());
    for (const Event& event : recording.events)
        if (event.kind == Event::Kind::store_copy)
            leaves[event.what] = true;
    return bars_of(recording.copies, timeline.flights, leaves);
}

std::vector<Bar> tensor_bars(const Recording& recording, const Timeline& timeline) {
    return bars_of(recording.operations, timeline.operations, std::vector<bool>(recording.operations.size()));
}

Facts facts(const Recording& recording, const Timeline& timeline) {
    Facts result;
    result.cycles = timeline.cycles;
    std::map<std::pair<std::string, uint32_t>, WaitFact> waits;
    for (const auto& span : timeline.spans) {
        const uint64_t length = span.end - span.begin;
        using enum Span::Kind;
        (span.kind == compute ? result.computing : span.kind == load ? result.loading : result.waiting) += length;
        if (span.kind == compute)
            continue;
        const std::string name = span.kind == load ? "global load" : recording.joins[span.join].name;
        WaitFact& fact = waits[{name, span.place}];
        fact.name = name;
        fact.place = span.place;
        ++fact.count;
        fact.cycles += length;
    }
    for (auto& [key, fact] : waits)
        result.waits.push_back(std::move(fact));
    std::ranges::stable_sort(result.waits, std::greater{}, &WaitFact::cycles);
    const auto busy = computing(timeline);
    for (const auto& bar : bars(recording, timeline)) {
        result.in_flight += bar.landed - bar.issued;
        result.hidden += common(busy, bar.issued, bar.landed);
        result.bytes += bar.bytes;
    }
    return result;
}

uint64_t time_computing(const Timeline& timeline) {
    uint64_t sum = 0;
    for (const auto& interval : computing(timeline))
        sum += interval.end - interval.begin;
    return sum;
}

std::string label(const Join& join) {
    return join.phase == none ? join.name
                              : fmt::format("{}, phase {} (parity {})", join.name, join.phase, join.phase & 1);
}

std::string where(const Recording& recording, uint32_t place) {
    if (place >= recording.places.size())
        return {};
    const ptx::SourceLine& at = recording.places[place];
    return fmt::format("{}:{}", at.file.substr(at.file.rfind('/') + 1), at.line);
}

} // namespace sim::timeline
