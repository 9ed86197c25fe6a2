#include "sim/rules/suspects.h"

#include <algorithm>

namespace sim::hazards {

std::vector<const Rule*> suspected_without(std::string_view mnemonic, const std::vector<std::string>& mnemonics) {
    // The longest beginning that some record names decides: "cp.async.wait" is not any "cp.async".
    size_t longest = 0;
    for (const Rule* rule : rules())
        for (const Suspicion& suspicion : rule->suspected)
            if (mnemonic.starts_with(suspicion.missing))
                longest = std::max(longest, suspicion.missing.size());
    std::vector<std::pair<int, const Rule*>> found;
    for (const Rule* rule : rules()) {
        const auto fits = [&](const Suspicion& suspicion) {
            return suspicion.missing.size() == longest && mnemonic.starts_with(suspicion.missing);
        };
        const auto suspicion = std::ranges::find_if(rule->suspected, fits);
        if (suspicion == rule->suspected.end())
            continue;
        const auto has = [&](const std::string& one) { return one.find(rule->suspected_with) != std::string::npos; };
        if (rule->suspected_with.empty() || std::ranges::any_of(mnemonics, has))
            found.emplace_back(suspicion->likelihood, rule);
    }
    std::ranges::stable_sort(found, {}, &std::pair<int, const Rule*>::first);
    std::vector<const Rule*> suspects;
    for (const auto& [likelihood, rule] : found)
        suspects.push_back(rule);
    return suspects;
}

} // namespace sim::hazards
