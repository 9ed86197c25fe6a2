// Hazards that the program's side saw, for the device's reporter.
#include <algorithm>
#include <cstdlib>

#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

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

template <>
void Service::carry_out(const NameCall& body, Payload payload, Reply&) {
    std::string file = next_text(payload), function = next_text(payload);
    gpu_.reporter().name_call(body.call, std::move(file), body.line, std::move(function));
}

template <>
void Service::carry_out(const HostAccess& access, Payload payload, Reply&) {
    const auto call = calling_.find(access.host_call);
    const Operation::Ptr during = call == calling_.end() ? nullptr : call->second;
    std::vector<uint64_t> addresses(payload.size() / sizeof(uint64_t));
    std::copy_n(payload.data(), addresses.size() * sizeof(uint64_t), reinterpret_cast<std::byte*>(addresses.data()));
    std::erase_if(addresses, [&](uint64_t address) { return !is_host(address); });
    if (addresses.empty())
        return;
    gpu_.touch(addresses, access.write != 0, streams_.host_access(streams_.site(), during));
    streams_.host_has_accessed(gpu_.next_operation() - 1, during);
}

template <>
void Service::carry_out(const NotDone& body, Payload payload, Reply&) {
    if (body.kind >= NotDone::Kind::count)
        throw Refused{error::invalid_value, "unknown kind"};
    if (++reports_ > 1000)
        return;
    if (body.kind == NotDone::Kind::watch) {
        gpu_.missed({"more than 4096 asynchronous copies of pinned memory were in flight, and whether the host touches "
                     "that memory too early was not looked at for the rest",
                     "wait for the copies now and then"});
        return;
    }
    const std::string name = next_text(payload).substr(0, body.kind == NotDone::Kind::function ? 100 : 1000);
    if (body.kind == NotDone::Kind::launch)
        return gpu_.launch_refused(name);
    if (body.kind == NotDone::Kind::kernel)
        return gpu_.unused(name);
    std::string file = next_text(payload);
    uint32_t line = 0;
    if (const auto colon = file.rfind(':'); colon != std::string::npos) {
        line = static_cast<uint32_t>(std::strtoul(file.c_str() + colon + 1, nullptr, 10));
        file.resize(colon);
    }
    const std::string where =
        line ? file.substr(file.rfind('/') + 1) + ':' + std::to_string(line) + ": " : std::string();
    gpu_.refused({name, "the simulated device does not have it: it returned cudaErrorNotSupported", file, line, false});
    gpu_.missed({where + name +
                     " is not part of the simulated device and returned cudaErrorNotSupported, so what it was to do "
                     "has not been executed",
                 "do without it here, or run the program on a GPU, with --device gpu"});
}

// Hazards, and whether they were looked for, are the simulated device's business.
template <>
void RealGpu::carry_out(const Report&, Payload, Reply&) {}
template <>
void RealGpu::carry_out(const NotDone&, Payload, Reply&) {}
template <>
void RealGpu::carry_out(const NameCall&, Payload, Reply&) {}
template <>
void RealGpu::carry_out(const HostAccess&, Payload, Reply&) {}

} // namespace sim::cuda
