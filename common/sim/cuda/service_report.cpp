// Hazards that the program's side saw, for the device's reporter.
#include "sim/cuda/error_code.h"
#include "sim/cuda/service.h"
#include "sim/hazards/finding.h"
#include "sim/hazards/rule.h"

namespace sim::cuda {

namespace {

// In the order of HostRule.
constexpr std::string_view rule_names[] = {"host-read-before-sync", "host-write-before-sync", "free-while-in-use",
                                           "pageable-async-copy"};

/// The next text of the payload, as it may be printed: bounded, without control characters.
std::string next_text(std::span<const std::byte>& payload) {
    std::string text;
    while (!payload.empty()) {
        const auto c = static_cast<unsigned char>(payload.front());
        payload = payload.subspan(1);
        if (c == 0)
            break;
        if (text.size() < 4096)
            text += c < 0x20 || c == 0x7F ? ' ' : static_cast<char>(c);
    }
    return text;
}

} // namespace

void Service::report(const Report& body, std::span<const std::byte> payload, Reply&) {
    static_assert(std::size(rule_names) == static_cast<size_t>(HostRule::count));
    if (body.rule >= HostRule::count)
        throw Refused{error::invalid_value, "unknown rule"};
    if (++reports_ > 1000)
        return; // more than anybody reads; and a program must not fill our memory
    hazards::Finding finding;
    finding.rule = hazards::find_rule(rule_names[static_cast<size_t>(body.rule)]);
    if (!finding.rule)
        return;
    finding.note = finding.rule->severity == hazards::Severity::note;
    finding.kernel = "host code";
    finding.first.file = next_text(payload);
    finding.first.action = next_text(payload);
    finding.first.line = body.first_line;
    hazards::Place other;
    other.file = next_text(payload);
    other.action = next_text(payload);
    other.line = body.second_line;
    if (!other.action.empty())
        finding.others.push_back(other);
    finding.message = next_text(payload);
    finding.schedule = gpu_.options().schedule;
    gpu_.reporter().add(std::move(finding));
}

} // namespace sim::cuda
