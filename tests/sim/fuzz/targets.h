// What the fuzzers drive: each takes any bytes, and either uses them or refuses them in words. None may touch memory
// that is not its own, or run without end.
#pragma once

#include <string_view>

namespace sim::fuzz {

/// A program's PTX: parsed, decoded and asked for its lines.
bool parse(std::string_view ptx);
/// The same, and each kernel is run for a while, with the hazard detector.
bool run(std::string_view ptx);
/// What a program sends to its device: command, body, payload, again and again.
bool serve(std::string_view messages);
/// Device code as nvcc wraps it.
bool unpack(std::string_view fat_binary);
/// Launches without a host program: what the playground and ./lab run FILE.ptx take.
bool describe(std::string_view document);

struct Target {
    std::string_view name;
    bool (*try_out)(std::string_view input); ///< was the input accepted?
    bool text;                               ///< inputs are changed token by token, else byte by byte
};
inline constexpr Target targets[] = {
    {"parse", parse, true},    {"run", run, true},           {"serve", serve, false},
    {"unpack", unpack, false}, {"describe", describe, true},
};

} // namespace sim::fuzz
