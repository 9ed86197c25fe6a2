#include "grader/accounting.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/fields.h"

namespace grader {

using nlohmann::json;

namespace {

/// The value of accounting_variable.
struct Given {
    std::string group;
    std::vector<std::string> measured;
    std::string why_not;
};

} // namespace
} // namespace grader

template <>
inline constexpr auto base::fields<grader::Given> = std::tuple{
    Field{"group", &grader::Given::group, IfSet{}},
    Field{"measured", &grader::Given::measured, IfSet{}},
    Field{"why_not", &grader::Given::why_not, IfSet{}},
};

namespace grader {

std::string accounting(const isolation::ControlGroups& groups, const std::filesystem::path& group) {
    return base::to_json(Given{group.string(), groups.layers(), groups.why_not()}).dump();
}

Accounting::Accounting() : how_{{}, "this submission was graded by itself"} {
    const char* variable = std::getenv(accounting_variable);
    const json read = json::parse(variable ? variable : "", nullptr, false);
    if (!read.is_object())
        return;
    const auto given = base::from_json<Given>(read);
    how_.why_not = given.why_not;
    group_ = given.group;
    if (group_.empty() || !isolation::join_group(group_)) {
        if (how_.why_not.empty())
            how_.why_not = "the group of this submission could not be made";
        group_.clear();
        return;
    }
    how_.measured = given.measured;
}

void Accounting::write(Result& result) const {
    result.accounting = how_;
    if (const auto used = group_.empty() ? std::optional<isolation::Usage>{} : isolation::usage(group_)) {
        Taken& all = result.timing[whole_submission];
        all.processor_seconds = used->processor_seconds;
        all.peak_bytes = used->peak_bytes;
    }
}

std::string taken(const Result& result) {
    const auto all = result.timing.find(whole_submission);
    if (all == result.timing.end() || !all->second.processor_seconds)
        return {};
    const auto& [seconds, compile, processor, peak] = all->second;
    return fmt::format("{:.1f} s of processor time{}", *processor, peak ? fmt::format(", {} MiB", *peak >> 20) : "");
}

} // namespace grader
