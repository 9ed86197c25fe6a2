// Hazards that the program's side saw, for the device's reporter.
#include "sim/cuda/real_gpu.h"
#include "sim/cuda/service.h"

namespace sim::cuda {

namespace {

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
void Service::carry_out(const Report& body, Payload payload, Reply&) {
    if (body.misuse >= HostMisuse::count)
        throw Refused{error::invalid_value, "unknown report"};
    if (++reports_ > 1000)
        return; // more than anybody reads; and a program must not fill our memory
    hazards::Place first, second;
    first.file = next_text(payload);
    first.action = next_text(payload);
    first.line = body.first_line;
    second.file = next_text(payload);
    second.action = next_text(payload);
    second.line = body.second_line;
    const bool has_second = !second.action.empty();
    gpu_.report(body.misuse, next_text(payload), std::move(first),
                has_second ? std::optional(std::move(second)) : std::nullopt);
}

// Hazards are the simulated device's business.
template <>
void RealGpu::carry_out(const Report&, Payload, Reply&) {}

} // namespace sim::cuda
