// How bad a finding is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sim::hazards {

enum class Severity : uint8_t {
    error,   ///< undefined, or the result is wrong: fails a check
    warning, ///< the manual forbids it and it has caused wrong results in practice, yet it is customary: fails a strict
             ///< check
    note,    ///< legal, and worth knowing
};

inline constexpr std::array<std::string_view, 3> severity_names{"error", "warning", "note"};

/// "error", "warning", "note".
constexpr std::string_view name(Severity severity) {
    return severity_names[static_cast<size_t>(severity)];
}

} // namespace sim::hazards
