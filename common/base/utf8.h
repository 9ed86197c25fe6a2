// Converts text that may not be UTF-8 for uses that need UTF-8.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace base {

/// Replaces invalid UTF-8 by U+FFFD.
inline std::string valid_utf8(const std::string& text) {
    using nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

} // namespace base
