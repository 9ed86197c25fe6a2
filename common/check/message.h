// What passes between the checker and the process that holds the device (boxed/device.cpp), both ways on one socket.
// The checker trusts nothing that it reads here: every size is bounded before memory is taken for it, every enumeration
// is checked, and what does not fit is Malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/device_server.h"

namespace check::message {

/// What the checker asks. The first ones have no answer: if they fail, the next one that has an answer says so.
enum class Ask : uint32_t {
    open,  ///< a new device: Open
    start, ///< replacement PTX, then a descriptor
    join,
    write,          ///< numbers: address. The contents
    begin_call,     ///< answered, as the program must not be called before
    close,          ///< the device goes; answered, as its memory is used again
    take_recording, ///< 1: complete
    allocate,       ///< numbers: bytes. An address
    returned,
    finish_call,       ///< a Trace
    follow,            ///< a Followed
    read,              ///< numbers: address, bytes. The contents
    written_by_kernel, ///< numbers: address, bytes. 0 or 1
    elements_written,  ///< numbers: address, bytes of each; as many zero bytes as elements. As many, 0 or 1
    condition,         ///< a Condition
    judged,            ///< a Judged
    repeat_the_rest,   ///< 0 or 1
    newest_stream,
    interrupt, ///< numbers: milliseconds. 0 or 1
};
constexpr bool has_answer(Ask ask) {
    return ask > Ask::write;
}

/// How the device is, with each answer.
struct State {
    bool busy = false, told_architecture = false, errors = false, strayed = false;
};

struct Header {
    Ask ask{};             ///< of an answer: what it answers
    uint32_t failed = 0;   ///< of an answer: 1 + Verdict of a Failed, whose message is the contents
    uint64_t numbers[2]{}; ///< of an answer: one number, and the State
    uint64_t bytes = 0;    ///< of the contents
};
constexpr uint64_t most_contents = uint64_t{128} << 20; ///< of an answer, but to Ask::read

constexpr size_t most_excuse = 20'000; ///< of an answer that failed
/// Sent once by the device's process: it is in its box (empty), or why not.
constexpr size_t most_greeting = 200;

struct Open {
    DeviceSettings settings;
    bool record = false;   ///< Server::Keep::all
    bool repeated = false; ///< what has been recorded
    std::vector<std::string> source_names{}, source_texts{};
};

/// Thrown by all that reads.
struct Malformed {};

bool send(int fd, const Header& header, std::span<const std::byte> contents);

std::vector<std::byte> pack(const Open&);
std::vector<std::byte> pack(const Trace&);
std::vector<std::byte> pack(const Condition&);
std::vector<std::byte> pack(const Judged&);
std::vector<std::byte> pack(const sim::provenance::Followed&);
Open open(std::span<const std::byte> packed);
Trace trace(std::span<const std::byte> packed);
Condition condition(std::span<const std::byte> packed);
Judged judged(std::span<const std::byte> packed);
sim::provenance::Followed followed(std::span<const std::byte> packed);

uint64_t pack(const State&);
State state(uint64_t packed);

} // namespace check::message
