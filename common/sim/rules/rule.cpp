#include "sim/rules/rule.h"

#include "base/changes.h"
#include "base/text.h"
#include "sim/rules/list.h"

namespace sim::hazards {

std::string Paragraph::text() const {
    std::string out;
    for (const std::string_view line : base::lines_of(written_))
        (out += out.empty() ? "" : " ") += base::trimmed(line);
    return out;
}

std::string Rule::right() const {
    return base::with_changes(wrong, changes);
}

std::span<const Rule* const> rules() {
    return rule::all;
}

const Rule* find_rule(std::string_view name) {
    for (const Rule* rule : rules())
        if (rule->name == name)
            return rule;
    return nullptr;
}

} // namespace sim::hazards
