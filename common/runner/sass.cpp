#include "runner/sass.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "base/demangle.h"

namespace runner {

namespace {

struct Meaning {
    std::string_view begins, text;
};
// The longest beginning comes first.
constexpr Meaning meanings[] = {
    {"LDGSTS", "cp.async: global memory to shared memory, bypassing the registers"},
    {"LDGDEPBAR", "cp.async.commit_group"},
    {"DEPBAR.LE SB0", "cp.async.wait_group"},
    {"ARRIVES.LDGSTSBAR", "an mbarrier arrival once the thread's cp.async operations are complete"},
    {"UBLKCP", "cp.async.bulk"},
    {"UBLKRED", "cp.reduce.async.bulk"},
    {"UBLKPF", "cp.async.bulk.prefetch"},
    {"UTMALDG", "cp.async.bulk.tensor: a tile is loaded"},
    {"UTMASTG", "cp.async.bulk.tensor: a tile is stored"},
    {"UTMAREDG", "cp.reduce.async.bulk.tensor"},
    {"UTMAPF", "cp.async.bulk.prefetch.tensor"},
    {"UTMACMDFLUSH", "cp.async.bulk.commit_group"},
    {"UTMACCTL", "a tensor map is fetched, or evicted from its cache"},
    {"SYNCS.PHASECHK", "a test whether an mbarrier's phase is complete"},
    {"SYNCS.ARRIVE", "an mbarrier arrival, or the bytes that it expects"},
    {"SYNCS.EXCH", "an mbarrier is initialised"},
    {"SYNCS", "an operation on an mbarrier"},
    {"FENCE.VIEW.ASYNC", "fence.proxy.async: between ordinary accesses and bulk copies"},
    {"UCGABAR", "the cluster's barrier"},
    {"BAR", "a barrier of the block"},
    {"MEMBAR", "a memory fence"},
    {"ELECT", "elect.sync"},
    {"LDG", "a load from global memory into registers"},
    {"STG", "a store from registers to global memory"},
    {"STAS", "st.async: a store to another block's shared memory"},
    {"RED", "an atomic operation without a result"},
    {"ATOM", "an atomic operation"},
};

} // namespace

std::string_view sass_meaning(std::string_view name) {
    for (const Meaning& meaning : meanings)
        if (name.starts_with(meaning.begins))
            return meaning.text;
    return {};
}

std::vector<SassLine> sass_lines(std::string_view disassembly, std::string_view file) {
    static const std::regex place("//## File \"([^\"]*)\", line (\\d+)"), label("^\\.text\\.(\\S+):$"),
        instruction("^\\s*/\\*[0-9a-f]+\\*/\\s+(?:@!?U?P\\w+\\s+)?([A-Z][A-Z0-9_.]*)( SB0)?");
    std::vector<SassLine> all;
    std::string kernel;
    size_t first_of_kernel = 0;
    uint32_t line = 0;
    bool new_place = true, found = false; // of the lines that name a place the first one in `file` counts
    std::istringstream in{std::string(disassembly)};
    for (std::string text; std::getline(in, text);) {
        std::smatch match;
        if (std::regex_search(text, match, place)) {
            if (new_place)
                found = false, line = 0;
            new_place = false;
            if (!found && match[1].str() == file) {
                found = true;
                line = static_cast<uint32_t>(std::strtoul(match[2].str().c_str(), nullptr, 10));
            }
        } else if (std::regex_search(text, match, instruction)) {
            new_place = true;
            const std::string name = match[1].str() + match[2].str();
            const auto known = std::find_if(all.begin() + static_cast<ptrdiff_t>(first_of_kernel), all.end(),
                                            [&](const SassLine& one) { return one.line == line && one.name == name; });
            if (known != all.end())
                ++known->count;
            else
                all.push_back({kernel, line, name, 1});
        } else if (std::regex_search(text, match, label)) {
            kernel = base::function_name(match[1]);
            first_of_kernel = all.size();
            line = 0;
        }
    }
    for (size_t begin = 0; begin < all.size();) {
        size_t end = begin;
        while (end < all.size() && all[end].kernel == all[begin].kernel)
            ++end;
        std::stable_sort(all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(end),
                         [](const SassLine& a, const SassLine& b) { return a.line < b.line; });
        begin = end;
    }
    return all;
}

} // namespace runner
