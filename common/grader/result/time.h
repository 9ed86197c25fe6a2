// Moments of submission and due dates.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace grader {

using Time = std::chrono::sys_seconds;

/// RFC 3339, "2026-02-01T23:59:00+01:00" or with a blank; UTC if it names no zone.
std::optional<Time> time_from(std::string_view text);
std::string text_of(Time time);

} // namespace grader
