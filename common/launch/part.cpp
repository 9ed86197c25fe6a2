#include "launch/part.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace launch {

using nlohmann::json;

void Part::fail(std::string what, std::string next) const {
    throw Mistake{{std::move(what), std::move(next)}, place_};
}

bool Part::is_text() const {
    return value_->is_string();
}
bool Part::is_list() const {
    return value_->is_array();
}
bool Part::is_table() const {
    return value_->is_object();
}

std::optional<Part> Part::find(std::string_view key) const {
    if (!value_->is_object())
        fail("a table is expected here", "write it like {name = \"in\"}, or in JSON {\"name\": \"in\"}");
    const auto found = value_->find(std::string(key));
    if (found == value_->end())
        return std::nullopt;
    return Part(*found, place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key));
}

Part Part::at(std::string_view key, std::string_view example) const {
    if (auto found = find(key))
        return *found;
    fail(fmt::format("\"{}\" is missing", key), fmt::format("add {}", example));
}

std::vector<Part> Part::items() const {
    if (!is_list())
        return {*this};
    std::vector<Part> all;
    for (size_t i = 0; i < value_->size(); ++i)
        all.emplace_back((*value_)[i], fmt::format("{}[{}]", place_, i));
    return all;
}

void Part::only(std::initializer_list<std::string_view> keys) const {
    if (!is_table())
        fail("a table is expected here", fmt::format("its keys are {}", fmt::join(keys, ", ")));
    for (const auto& [key, value] : value_->items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            Part(value, place_.empty() ? key : place_ + "." + key)
                .fail(fmt::format("there is no key \"{}\" here", key),
                      fmt::format("the keys are {}", fmt::join(keys, ", ")));
}

const std::string& Part::text(std::string_view example) const {
    if (!is_text())
        fail("a text is expected here", fmt::format("write {}", example));
    return value_->get_ref<const std::string&>();
}

double Part::number(Names names) const {
    if (!is_text() && !value_->is_number() && !value_->is_boolean())
        fail("a number is expected here", "write a number, or a formula in quotes");
    try {
        return is_text()              ? Formula(text(""), names).value()
               : value_->is_boolean() ? double(value_->get<bool>())
                                      : value_->get<double>();
    } catch (const base::Problem& problem) {
        fail(problem.what, problem.next);
    }
}

uint64_t Part::size(const Names& names, uint64_t least, uint64_t most) const {
    const double exact = number(names);
    if (!(exact >= double(least) && exact <= double(most)) || exact != std::floor(exact))
        fail(fmt::format("{} is not a whole number from {} to {}", exact, least, most),
             "change it, or the formula and the numbers in it");
    return uint64_t(exact);
}

uint32_t Part::choice(std::initializer_list<std::string_view> words) const {
    const std::string& word = text(fmt::format("\"{}\"", *words.begin()));
    const auto* found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        fail(fmt::format("\"{}\" is not possible here", word),
             fmt::format("choose from \"{}\"", fmt::join(words, "\", \"")));
    return uint32_t(found - words.begin());
}

} // namespace launch
