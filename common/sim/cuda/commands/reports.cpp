// Hazards that the program's side saw, for the device's reporter.
#include "sim/cuda/real_gpu.h"
#include "sim/cuda/service.h"
#include "sim/hazards/finding.h"
#include "sim/hazards/rule.h"

namespace sim::cuda {

namespace {

// Without a default, so that the compiler asks for each rule.
std::string_view rule_name(HostRule rule) {
    switch (rule) {
    case HostRule::read_before_sync:
        return "host-read-before-sync";
    case HostRule::write_before_sync:
        return "host-write-before-sync";
    case HostRule::free_while_in_use:
        return "free-while-in-use";
    case HostRule::pageable_async_copy:
        return "pageable-async-copy";
    }
    throw Refused{error::invalid_value, "unknown rule"};
}

/// The next text of the payload, as it may be printed: bounded, without control characters.
std::string next_text(Payload& payload) {
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

template <>
void Service::carry_out(const Report& report, Payload payload, Reply&) {
    const std::string_view name = rule_name(report.rule);
    if (++reports_ > 1000)
        return; // more than anybody reads; and a program must not fill our memory
    hazards::Finding finding;
    finding.rule = hazards::find_rule(name);
    if (!finding.rule)
        return;
    finding.note = finding.rule->severity == hazards::Severity::note;
    finding.kernel = "host code";
    finding.first.file = next_text(payload);
    finding.first.action = next_text(payload);
    finding.first.line = report.first_line;
    hazards::Place other;
    other.file = next_text(payload);
    other.action = next_text(payload);
    other.line = report.second_line;
    if (!other.action.empty())
        finding.others.push_back(other);
    finding.message = next_text(payload);
    finding.schedule = gpu_.options().schedule;
    gpu_.reporter().add(std::move(finding));
}

// Hazards are the simulated device's business.
template <>
void RealGpu::carry_out(const Report&, Payload, Reply&) {}

} // namespace sim::cuda
