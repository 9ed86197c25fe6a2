// A device's side of the protocol: from a request's bytes to the function that carries the command out.
#pragma once

#include <array>
#include <string>

#include "sim/cuda/wire/command.h"
#include "sim/cuda/wire/error_code.h"

namespace sim::cuda {

/// Thrown by what carries a command out: the command fails with a CUDA error code.
struct Refused {
    uint32_t error;
    std::string message; ///< for people
};

namespace detail {

template <typename Body, typename CarryOut>
void read_and_answer(std::span<const std::byte> bytes, Reply& reply, const CarryOut& carry_out) {
    if (bytes.size() != sizeof(Body))
        throw Refused{error::invalid_value, "a command has the wrong size"};
    Body body;
    std::memcpy(&body, bytes.data(), sizeof body);
    if constexpr (std::is_void_v<typename Body::Result>)
        carry_out(body);
    else
        reply.set(static_cast<typename Body::Result>(carry_out(body)));
}

} // namespace detail

/// Reads the command from `bytes`, which may hold anything, calls `carry_out` with it and puts the result into `reply`.
/// Throws Refused for an unknown number or a wrong size, and whatever `carry_out` throws.
template <typename CarryOut>
void dispatch(Command command, std::span<const std::byte> bytes, Reply& reply, const CarryOut& carry_out) {
    using Handler = void (*)(std::span<const std::byte>, Reply&, const CarryOut&);
    static constexpr auto handlers = []<typename... Bodies>(CommandList<Bodies...>) {
        return std::array<Handler, sizeof...(Bodies)>{&detail::read_and_answer<Bodies, CarryOut>...};
    }(Commands{});
    const auto number = static_cast<uint32_t>(command);
    if (number >= handlers.size())
        throw Refused{error::not_supported, "unknown command"};
    handlers[number](bytes, reply, carry_out);
}

} // namespace sim::cuda
