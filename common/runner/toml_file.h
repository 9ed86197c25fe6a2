// Reading TOML: a mistake is named by its line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/files.h"
#include "base/problem.h"

namespace runner {

/// Throws Problem; `described` says where to read about the file.
inline toml::table read_toml(const std::filesystem::path& file, std::string_view described) {
    try {
        return toml::parse(base::read_file(file), file.string());
    } catch (const toml::parse_error& error) {
        throw base::Problem{fmt::format("{}:{}: {}", base::shown(file), error.source().begin.line, error.description()),
                            std::string(described)};
    }
}

} // namespace runner
