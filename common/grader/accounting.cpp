#include "grader/accounting.h"

#include <cstdlib>

#include <fmt/format.h>

namespace grader {

using nlohmann::json;

std::string accounting(const isolation::ControlGroups& groups, const std::filesystem::path& group) {
    return json{{"group", group.string()}, {"measured", groups.layers()}, {"why_not", groups.why_not()}}.dump();
}

Accounting::Accounting() {
    const char* told = std::getenv(accounting_variable);
    const json given = json::parse(told ? told : "", nullptr, false);
    how_ = {{"measured", json::array()}, {"why_not", "this submission was graded by itself"}};
    if (!given.is_object())
        return;
    how_["why_not"] = given.value("why_not", "");
    group_ = given.value("group", "");
    if (group_.empty() || !isolation::join_group(group_)) {
        if (how_.at("why_not") == "")
            how_["why_not"] = "the group of this submission could not be made";
        group_.clear();
        return;
    }
    how_["measured"] = given.value("measured", json::array());
}

void Accounting::write(json& result) const {
    result["accounting"] = how_;
    if (const auto used = group_.empty() ? std::optional<isolation::Usage>{} : isolation::usage(group_)) {
        json& all = result["timing"]["submission"];
        all["processor_seconds"] = used->processor_seconds;
        if (used->peak_bytes)
            all["peak_bytes"] = *used->peak_bytes;
    }
}

std::string taken(const json& result) {
    const json all = result.value("timing", json::object()).value("submission", json::object());
    if (!all.contains("processor_seconds"))
        return {};
    const std::string memory =
        all.contains("peak_bytes") ? fmt::format(", {} MiB", all.at("peak_bytes").get<uint64_t>() >> 20) : "";
    return fmt::format("{:.1f} s of processor time{}", all.at("processor_seconds").get<double>(), memory);
}

} // namespace grader
