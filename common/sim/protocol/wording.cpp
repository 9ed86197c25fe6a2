#include "sim/protocol/wording.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace sim::protocol {
namespace {

constexpr size_t most_lines = 12;

const char* verb(const Operation& one, bool lands) {
    if (lands)
        return one.bytes ? "the bytes of its copy arrive on" : "the arrival of its copies is counted on";
    switch (one.kind) {
    case Kind::arrive:
        return one.bytes ? "expects bytes and arrives on" : "arrives on";
    case Kind::expect:
        return "changes the expected bytes of";
    case Kind::wait:
        return "waits for a phase of";
    case Kind::issue:
        return "issues a copy that completes on";
    case Kind::block_barrier:
        return one.waits ? "waits at" : "arrives at";
    case Kind::cluster_arrive:
        return "arrives at";
    case Kind::cluster_wait:
        return "waits at";
    case Kind::inval:
        return "invalidates";
    case Kind::registers:
        return "waits for registers";
    default:
        return "uses";
    }
}

} // namespace

std::string Wording::who(const Operation& one) const {
    std::string text = fmt::format("block {} warp {}", record_.blocks[one.block].linear, one.warp);
    if (one.mask != ~0u)
        text += fmt::format(" lanes {:#010x}", one.mask);
    return text;
}

std::string Wording::where(const Operation& one) const {
    const hazards::Place at = places_.at(one.pc, {});
    return at.line ? fmt::format("{}:{}", at.file.substr(at.file.rfind('/') + 1), at.line) : "an unknown line";
}

hazards::Place Wording::place(uint32_t operation) const {
    const Operation& one = record_.operations[operation];
    hazards::Place place = places_.at(one.pc, {});
    place.threads.add(record_.blocks[one.block].linear, one.warp * 32, one.mask);
    return place;
}

hazards::Place Wording::here() const {
    return place(explored_.fault.operation);
}

std::optional<hazards::Place> Wording::there() const {
    if (explored_.fault.other == none)
        return std::nullopt;
    return place(explored_.fault.other);
}

/// The last operations on the barriers that matter, those of one instruction and warp in a row together.
std::string Wording::order() const {
    std::set<uint32_t> objects{explored_.fault.object};
    for (const uint32_t operation : explored_.stuck)
        objects.insert(record_.operations[operation].object);
    struct Line {
        const Operation* operation;
        bool lands;
        size_t times;
    };
    std::vector<Line> lines;
    for (const Step& step : explored_.order) {
        const Operation& one = record_.operations[step.operation];
        if (one.object == none || one.kind == Kind::init || !objects.contains(one.object))
            continue;
        if (!lines.empty() && lines.back().operation->pc == one.pc && lines.back().lands == step.lands &&
            lines.back().operation->warp == one.warp && lines.back().operation->block == one.block &&
            lines.back().operation->object == one.object)
            ++lines.back().times;
        else
            lines.push_back({&one, step.lands, 1});
    }
    const size_t skipped = lines.size() > most_lines ? lines.size() - most_lines : 0;
    std::string text = skipped ? fmt::format("\n  … after {} more", skipped) : "";
    for (const Line& line : std::span(lines).subspan(skipped))
        text += fmt::format("\n  {} at {}: {} {}{}", who(*line.operation), where(*line.operation),
                            verb(*line.operation, line.lands), record_.objects[line.operation->object].name,
                            line.times > 1 ? fmt::format(", {} times", line.times) : "");
    return text;
}

/// What is missing there.
std::string Wording::missing(const Operation& one) const {
    if (one.object == none || explored_.barriers.empty())
        return {};
    const Barrier& barrier = explored_.barriers[one.object];
    switch (record_.objects[one.object].type) {
    case Object::Type::named: {
        const uint32_t exited = barrier.counted ? explored_.exited[one.block] : 0;
        return fmt::format(" ({} of {} threads have arrived{})", barrier.arrived, barrier.expected,
                           exited ? fmt::format(", {} have exited and do not count", exited) : "");
    }
    case Object::Type::mbarrier: {
        const std::string bytes = barrier.bytes ? fmt::format(", {} bytes missing", barrier.bytes) : "";
        return barrier.pending || bytes.empty()
                   ? fmt::format(" ({} of {} arrivals missing{})", barrier.pending, barrier.expected, bytes)
                   : fmt::format(" ({})", bytes.substr(2));
    }
    default:
        return {};
    }
}

/// Who would be the next to do something about it, and where.
std::string Wording::helper(uint32_t waits, const std::unordered_set<uint32_t>& executed) const {
    const Operation& one = record_.operations[waits];
    if (one.object == none && one.kind != Kind::registers)
        return {};
    for (uint32_t i = 0; i < record_.operations.size(); ++i) {
        const Operation& other = record_.operations[i];
        const bool helps = one.kind == Kind::registers
                               ? other.kind == Kind::registers && other.block == one.block && !other.waits
                               : other.object == one.object && other.kind != Kind::wait &&
                                     other.kind != Kind::cluster_wait && other.kind != Kind::poll;
        if (helps && !executed.contains(other.kind == Kind::land ? other.issue : i) &&
            (other.block != one.block || other.warp != one.warp))
            return fmt::format("; {} {} at {}, but only after that", who(other),
                               one.kind == Kind::registers ? "releases some" : "comes to it", where(other));
    }
    return one.kind == Kind::registers ? "; no other warp releases more" : "; no other thread comes to it any more";
}

std::string Wording::waiting() const {
    std::unordered_set<uint32_t> executed;
    for (const Step& step : explored_.order)
        executed.insert(step.operation);
    std::string text;
    std::set<std::string> said;
    for (const uint32_t operation : explored_.stuck) {
        const Operation& one = record_.operations[operation];
        const std::string what = one.object != none            ? " " + record_.objects[one.object].name
                                 : one.kind == Kind::registers ? ""
                                                               : " the other lanes of its warp";
        const std::string line = fmt::format("\n  {} at {}: {}{}{}{}", who(one), where(one), verb(one, false), what,
                                             missing(one), helper(operation, executed));
        if (said.size() < most_lines && said.insert(line).second)
            text += line;
    }
    return text;
}

hazards::OrderFault Wording::fact() const {
    using What = hazards::OrderFault::What;
    static constexpr What whats[] = {What::deadlock, What::deadlock, What::registers,  What::overflow,
                                     What::missed,   What::early,    What::incomplete, What::leftover};
    const Fault& fault = explored_.fault;
    return {whats[size_t(fault.what)],
            fault.object == none ? std::string("a barrier") : record_.objects[fault.object].name,
            fault.meant,
            fault.now,
            order(),
            waiting()};
}

} // namespace sim::protocol
