#include "runner/lane_expression.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <regex>

#include <fmt/format.h>

#include "base/problem.h"

namespace runner {

using sim::machine::DecodedFunction, sim::machine::Exec, sim::machine::Special;

namespace lane_expression {
namespace {

constexpr std::pair<std::string_view, Special> built_in[] = {
    {"threadIdx.x", Special::tid_x},    {"threadIdx.y", Special::tid_y},  {"threadIdx.z", Special::tid_z},
    {"blockIdx.x", Special::ctaid_x},   {"blockIdx.y", Special::ctaid_y}, {"blockIdx.z", Special::ctaid_z},
    {"blockDim.x", Special::ntid_x},    {"blockDim.y", Special::ntid_y},  {"blockDim.z", Special::ntid_z},
    {"gridDim.x", Special::nctaid_x},   {"gridDim.y", Special::nctaid_y}, {"gridDim.z", Special::nctaid_z},
    {"rank", Special::cluster_ctarank}, {"warp", Special::warpid},        {"lane", Special::laneid},
};

const Special* find_built_in(std::string_view name) {
    const auto* const found = std::ranges::find(built_in, name, &std::pair<std::string_view, Special>::first);
    return found == std::end(built_in) ? nullptr : &found->second;
}

// As formulas can have it: "%rd1" and "threadIdx.x" have letters that they cannot.
std::string plain(std::string name) {
    for (char& c : name)
        c = c == '.' || c == '%' || c == '$' ? '_' : c;
    return name;
}

std::optional<size_t> register_named(const DecodedFunction& function, std::string_view name) {
    const auto& all = function.function->code().registers;
    const auto found =
        std::ranges::find_if(all, [&](const auto& one) { return one.name == name || "%" + one.name == name; });
    return found == all.end() ? std::nullopt : std::optional(size_t(found - all.begin()));
}

} // namespace
} // namespace lane_expression

double register_value(Exec& x, size_t index, int lane) {
    const auto& type = x.function->function->code().registers[index].type;
    const auto ref = x.function->registers[index];
    const uint32_t bytes = x.function->register_bytes[index];
    if (!bytes)
        return x.predicate(ref) >> lane & 1;
    uint64_t raw = 0;
    std::memcpy(&raw, x.lanes<std::byte>(ref) + size_t(lane) * bytes, std::min<uint32_t>(bytes, 8));
    if (type.kind == sim::ptx::Kind::floating && type.bits == 32)
        return std::bit_cast<float>(uint32_t(raw));
    if (type.kind == sim::ptx::Kind::floating && type.bits == 64)
        return std::bit_cast<double>(raw);
    return type.kind == sim::ptx::Kind::signed_int && bytes == 4 ? double(int32_t(raw)) : double(raw);
}

LaneExpression::LaneExpression(const std::string& text) {
    static const std::regex name(R"(%[A-Za-z_][\w$.]*|\b[A-Za-z_]\w*(\.[xyz])?\b(?!\s*\())");
    std::string formula;
    auto rest = text.cbegin();
    for (std::sregex_iterator one(text.begin(), text.end(), name), end; one != end; ++one) {
        const std::string word = one->str();
        if (word[0] != '%' && !lane_expression::find_built_in(word))
            throw base::Problem{
                fmt::format("there is no {} to ask for", word),
                "there are threadIdx.x, blockIdx.x, blockDim.x, gridDim.x (and .y, .z), rank, warp, lane, "
                "and registers as PTX names them, such as %r1"};
        formula += std::string(rest, (*one)[0].first) + lane_expression::plain(word);
        rest = (*one)[0].second;
        names_.numbers[lane_expression::plain(word)] = 0;
        words_.insert(word);
    }
    formula_.emplace(formula + std::string(rest, text.cend()), names_);
}

std::optional<double> LaneExpression::value(Exec& x, int lane) {
    for (const std::string& word : words_) {
        double& number = names_.numbers.find(lane_expression::plain(word))->second;
        if (const Special* special = lane_expression::find_built_in(word)) {
            number = x.warp.specials->narrow[size_t(*special)][size_t(lane)];
            continue;
        }
        const auto index = lane_expression::register_named(*x.function, word);
        if (!index)
            return std::nullopt;
        number = register_value(x, *index, lane);
    }
    return formula_->value();
}

} // namespace runner
