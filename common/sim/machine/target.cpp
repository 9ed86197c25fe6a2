#include "sim/machine/target.h"

#include <charconv>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "sim/machine/gpu.h"

namespace sim::machine {
namespace {

struct Name {
    explicit Name(std::string_view target) {
        const char* end = target.data() + target.size();
        if (target.starts_with("sm_"))
            end = std::from_chars(target.data() + 3, end, sm).ptr;
        if (end != target.data() + target.size())
            variant = *end;
    }
    uint32_t sm = 0;
    char variant = 0; ///< 'a', 'f', or 0
};

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> result;
    while (!text.empty()) {
        const size_t space = std::min(text.find(' '), text.size());
        if (space)
            result.push_back(text.substr(0, space));
        text.remove_prefix(std::min(space + 1, text.size()));
    }
    return result;
}

bool meets(const Name& target, const Name& need) {
    if (need.variant == 'a')
        return target.variant == 'a' && target.sm == need.sm;
    if (need.variant == 'f')
        return target.variant && target.sm / 10 == need.sm / 10 && target.sm >= need.sm;
    return target.sm >= need.sm;
}

} // namespace

Properties properties_of(uint32_t sm) {
    Properties p;
    p.sm = sm;
    if (sm < 90) {
        p.shared_per_sm = 167936;
        p.shared_per_block_optin = 166912;
    }
    if (sm >= 110) {
        p.max_blocks_per_sm = 24;
        p.max_threads_per_sm = 1536;
    }
    if (sm >= 120) {
        p.shared_per_sm = 102400;
        p.shared_per_block_optin = 101376;
    }
    return p;
}

bool allows(std::string_view target, std::string_view needs) {
    const auto all = words(needs);
    for (const std::string_view need : all)
        if (meets(Name(target), Name(need)))
            return true;
    return all.empty();
}

std::string target_missing(std::string_view what, std::string_view needs, std::string_view target) {
    const auto all = words(needs);
    std::string list;
    for (size_t i = 0; i < all.size(); ++i)
        list += fmt::format("{}{}", i == 0 ? "" : i + 1 == all.size() ? " or " : ", ", all[i]);
    const Name first(all.front());
    return fmt::format("{} needs the target {}{}; this PTX is for {}: compile with --arch compute_{}{}", what, list,
                       first.variant ? "" : " or newer", target, first.sm, first.variant ? "a" : "");
}

} // namespace sim::machine
