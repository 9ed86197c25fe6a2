// A part of a launch's description, which knows where it stands: a mistake in it is named by its place.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/problem.h"
#include "launch/formula.h"

namespace launch {

/// Thrown: something in the description is wrong. `place`: "buffers[1].fill"; empty: the whole of it.
struct Mistake : base::Problem {
    std::string place;
};

class Part {
  public:
    Part(const nlohmann::json& value, std::string place) : value_(&value), place_(std::move(place)) {}

    const nlohmann::json& value() const { return *value_; }
    const std::string& place() const { return place_; }
    [[noreturn]] void fail(std::string what, std::string next) const;

    bool is_text() const;
    bool is_list() const;
    bool is_table() const;
    /// The part of a table with this key; nullopt: there is none.
    std::optional<Part> find(std::string_view key) const;
    /// The same, which has to be there. `example`: how to write it.
    Part at(std::string_view key, std::string_view example) const;
    /// The parts of a list; of anything else, that alone.
    std::vector<Part> items() const;
    /// Other keys of a table are mistakes.
    void only(std::initializer_list<std::string_view> keys) const;

    const std::string& text(std::string_view example) const;
    /// A number, or a formula.
    double number(Names names) const;
    /// That, as a whole number from `least` to `most`.
    uint64_t size(const Names& names, uint64_t least, uint64_t most) const;
    /// The place of one of these words.
    uint32_t choice(std::initializer_list<std::string_view> words) const;

  private:
    const nlohmann::json* value_;
    std::string place_;
};

} // namespace launch
