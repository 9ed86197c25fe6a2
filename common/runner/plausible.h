// What one might expect to be reported when an instruction is missing: the wrong answers of `lab break`.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace runner {

struct Plausible {
    std::string_view prefix; ///< of the mnemonic
    std::vector<std::string_view> rules;
};

/// The first that fits counts; the likeliest rules come first.
inline const std::vector<Plausible> plausible{
    {"cp.async.bulk.wait",
     {"exit-before-completion", "source-modified-in-flight", "read-wait-for-result", "waited-by-another-thread",
      "missing-wait", "missing-proxy-fence"}},
    {"cp.async.bulk.commit",
     {"exit-before-completion", "uncommitted-copy", "source-modified-in-flight", "deadlock", "missing-wait"}},
    {"cp.async.wait",
     {"missing-wait", "read-before-completion", "missing-barrier-after-wait", "overlapping-copies", "refill-while-read",
      "wrong-wait-mechanism"}},
    {"cp.async.commit",
     {"uncommitted-copy", "read-before-completion", "missing-wait", "deadlock", "overlapping-copies"}},
    {"cp.async.mbarrier.arrive",
     {"wrong-wait-mechanism", "deadlock", "missing-wait", "uncommitted-copy", "barrier-overflow"}},
    {"mbarrier.t", // test_wait, try_wait
     {"missing-wait", "read-after-write-race", "refill-while-read", "overlapping-copies", "barrier-overflow",
      "deadlock"}},
    {"mbarrier.arrive.expect_tx", {"deadlock", "early-phase", "missing-wait", "barrier-overflow"}},
    {"mbarrier.expect_tx", {"deadlock", "early-phase", "missing-wait", "barrier-overflow"}},
    {"mbarrier.arrive", {"deadlock", "early-phase", "refill-while-read", "missing-wait", "read-after-write-race"}},
    {"bar", // bar.sync, barrier.…
     {"read-after-write-race", "write-after-read-race", "missing-barrier-after-wait", "refill-while-read",
      "barrier-init-race", "fence-without-barrier", "missing-wait", "deadlock"}},
    {"fence.proxy.tensormap",
     {"map-without-acquire", "map-without-release", "invalid-tensor-map", "missing-proxy-fence"}},
    {"fence.mbarrier_init", {"barrier-init-race", "barrier-uninitialised", "scope-too-narrow", "deadlock"}},
    {"fence",
     {"missing-proxy-fence", "fence-without-barrier", "read-after-write-race", "source-modified-in-flight",
      "scope-too-narrow"}},
    {"", {"read-after-write-race", "write-after-read-race", "scope-too-narrow", "deadlock"}},
};

/// Rules that nobody expects of a kernel without any such instruction.
struct Needs {
    std::string_view rule, fragment; ///< of a mnemonic
};
inline constexpr Needs needs[] = {
    {"barrier-init-race", "mbarrier"},
    {"barrier-overflow", "mbarrier"},
    {"barrier-uninitialised", "mbarrier"},
    {"early-phase", "mbarrier"},
    {"fence-without-barrier", "fence"},
    {"missing-proxy-fence", "fence"},
    {"missing-wait", "wait"},
    {"missing-barrier-after-wait", "wait"},
    {"refill-while-read", "wait"},
    {"overlapping-copies", "wait"},
    {"source-modified-in-flight", "bulk"},
    {"exit-before-completion", "bulk"},
    {"waited-by-another-thread", "bulk"},
    {"read-wait-for-result", "bulk"},
};

/// `mnemonics`: of all that could be taken out of the kernel.
inline std::vector<std::string_view> plausible_rules(std::string_view taken_out,
                                                     const std::vector<std::string>& mnemonics) {
    auto rules =
        std::ranges::find_if(plausible, [&](const auto& one) { return taken_out.starts_with(one.prefix); })->rules;
    std::erase_if(rules, [&](std::string_view rule) {
        const auto* need = std::ranges::find(needs, rule, &Needs::rule);
        return need != std::end(needs) && std::ranges::none_of(mnemonics, [&](const std::string& mnemonic) {
                   return mnemonic.find(need->fragment) != std::string::npos;
               });
    });
    return rules;
}

} // namespace runner
