#include "sim/instructions/bulk_operands.h"

namespace sim::instructions::cache_control {
namespace {

// The modelled device has no caches: these may be executed and change nothing. Only discard says more than where data
// should be: its bytes are undefined until they are written again.
Flow no_effect(Exec&, const Op&) {
    return Flow::next;
}

Handler decode_hint(Decoder&) {
    return no_effect;
}

/// A policy is an opaque value. Only its priority is looked at again, for the statistics.
Flow policy(Exec& x, const Op& op) {
    for_lanes(x.mask, [&](int lane) { x.lanes<uint64_t>(op.d)[lane] = policies[op.small]; });
    return Flow::next;
}

Handler decode_policy(Decoder& d) {
    const std::string_view primary = d.value(".primary");
    d.op.d = destination(d, 0, 8);
    d.op.small = primary == ".L2::evict_first" ? evict_first : primary == ".L2::evict_last" ? evict_last : evict_normal;
    return policy;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "prefetch",
        .syntax = R"(
        prefetch{.space}.level [a];
        prefetch{.map_space}.tensormap [a];
        .space = { .global, .local };
        .map_space = { .const, .param };
        .level = { .L1, .L2, .L2::evict_last, .L2::evict_normal };
)",
        .isa = 20,
        .sm = 20,
        .manual = "data-movement-and-conversion-instructions-prefetch-prefetchu",
        .decode = decode_hint,
    },
    {
        .name = "prefetchu",
        .syntax = R"(
        prefetchu.L1 [a];
)",
        .isa = 20,
        .sm = 20,
        .manual = "data-movement-and-conversion-instructions-prefetch-prefetchu",
        .decode = decode_hint,
    },
    {
        .name = "applypriority",
        .syntax = R"(
        applypriority{.global}.L2::evict_normal [a], size;
)",
        .isa = 74,
        .sm = 80,
        .manual = "data-movement-and-conversion-instructions-applypriority",
        .decode = decode_hint,
    },
    {
        .name = "discard",
        .syntax = R"(
        discard{.global}.L2 [a], size;
)",
        .isa = 74,
        .sm = 80,
        .manual = "data-movement-and-conversion-instructions-discard",
        .decode = decode_hint,
        .inexact = {{"", "the bytes keep their values, so a read before the next write is not reported", false}},
    },
    {
        .name = "createpolicy",
        .syntax = R"(
        createpolicy.fractional.primary{.secondary}.b64 policy{, fraction};
        createpolicy.range{.global}.primary{.secondary}.b64 policy, [a], primary-size, total-size;
        createpolicy.cvt.L2.b64 policy, access-property;
        .primary = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged };
        .secondary = { .L2::evict_first, .L2::evict_unchanged };
)",
        .isa = 74,
        .sm = 80,
        .manual = "data-movement-and-conversion-instructions-createpolicy",
        .decode = decode_policy,
    },
};

} // namespace sim::instructions::cache_control
