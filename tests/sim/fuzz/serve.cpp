#include <array>
#include <cstring>

#include "sim/cuda/device/service.h"
#include "targets.h"

namespace sim::fuzz {
namespace {

constexpr char ptx[] = R"(
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter;
.visible .entry add_one(.param .u64 p, .param .u32 n)
{
    .reg .b64 %rd<2>; .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
)";

/// The next value of the input; zeros behind its end.
template <class T>
T take(std::string_view& from) {
    T value{};
    const size_t bytes = std::min(sizeof value, from.size());
    std::memcpy(&value, from.data(), bytes);
    from.remove_prefix(bytes);
    return value;
}

constexpr auto body_bytes = []<typename... Bodies>(cuda::CommandList<Bodies...>) {
    return std::array{sizeof(Bodies)...};
}(cuda::Commands{});

/// A number that a command may hold: an id, an address, two small numbers, or anything.
uint64_t number(std::string_view& from) {
    const auto kind = take<uint8_t>(from);
    switch (kind % 8) {
    case 0:
        return kind / 8;
    case 1:
        return 100 + kind / 8;
    case 2:
        return cuda::host_base + take<uint16_t>(from);
    case 3:
        return memory::device_base + 0x2000000 + take<uint16_t>(from);
    case 4:
        return take<uint64_t>(from);
    case 5:
        return take<uint8_t>(from) | uint64_t{take<uint8_t>(from)} << 32;
    default:
        return uint64_t{1} | uint64_t{1} << 32;
    }
}

std::vector<std::byte> body_of(size_t command, std::string_view& from) {
    std::vector<std::byte> body(body_bytes[command]);
    for (size_t at = 0; at < body.size(); at += 8) {
        const uint64_t value = number(from);
        std::memcpy(body.data() + at, &value, std::min<size_t>(8, body.size() - at));
    }
    return body;
}

std::string payload_of(std::string_view& from) {
    const auto kind = take<uint8_t>(from);
    if (kind % 4 == 0)
        return kind & 4 ? "add_one" : "counter";
    std::string payload(kind % 4 == 1 ? 12 : kind / 4, '\0');
    for (size_t at = 0; at < payload.size(); at += 8) {
        const uint64_t value = number(from);
        std::memcpy(payload.data() + at, &value, std::min<size_t>(8, payload.size() - at));
    }
    return payload;
}

} // namespace

bool serve(std::string_view messages) {
    machine::Options options;
    options.max_instructions = 100'000;
    options.properties.total_memory = 64 << 20;
    cuda::Service service(options);
    std::memcpy(service.shared().at(cuda::host_base, sizeof ptx), ptx, sizeof ptx);
    cuda::Header header{};
    const auto say = [&](const auto& body) { service.handle(header, std::as_bytes(std::span(&body, 1)), {}); };
    header.command = cuda::command_of<cuda::LoadModule>;
    say(cuda::LoadModule{cuda::host_base, sizeof ptx - 1});
    bool accepted = false;
    for (int count = 0; !messages.empty() && count < 64; ++count) {
        const size_t command = take<uint8_t>(messages) % body_bytes.size();
        header.command = static_cast<cuda::Command>(command);
        const std::vector<std::byte> body = body_of(command, messages);
        const std::string payload = payload_of(messages);
        const auto reply = service.handle(header, body, std::as_bytes(std::span(payload)));
        accepted = !reply.error || accepted;
    }
    service.drain();
    return accepted;
}

} // namespace sim::fuzz
