// Reading what instructors write in TOML: a mistake is named by its line.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/files.h"
#include "base/problem.h"
#include "grader/files.h"

namespace grader::toml_file {

[[noreturn]] inline void fail(const toml::node& node, const fs::path& file, std::string_view what) {
    throw base::Problem{fmt::format("{}:{}: {}", file.string(), node.source().begin.line, what),
                        "docs/grading.md describes course.toml and overrides.toml"};
}

inline toml::table read(const fs::path& file) {
    try {
        return toml::parse(base::read_file(file), file.string());
    } catch (const toml::parse_error& error) {
        throw base::Problem{fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()),
                            "docs/grading.md describes course.toml and overrides.toml"};
    }
}

inline const toml::table& table_of(const toml::node& node, const fs::path& file, std::string_view example) {
    if (const auto* table = node.as_table())
        return *table;
    fail(node, file, fmt::format("expected a table: {}", example));
}

inline std::string text_of(const toml::node& node, const fs::path& file, std::string_view example) {
    if (const auto* text = node.as_string())
        return text->get();
    fail(node, file, fmt::format("expected a text: {}", example));
}

inline bool truth_of(const toml::node& node, const fs::path& file, std::string_view example) {
    if (!node.is_boolean())
        fail(node, file, fmt::format("expected true or false: {}", example));
    return node.value_or(false);
}

inline double number(const toml::node& node, const fs::path& file, double low, double high) {
    const auto value = node.value<double>();
    if (!value || !(*value >= low && *value <= high))
        fail(node, file, fmt::format("expected a number between {} and {}", low, high));
    return *value;
}

} // namespace grader::toml_file
