#include "sim/instructions/atomic.h"

namespace sim::instructions::atom {
namespace {

Handler decode(Decoder& d) {
    const Type type = last_type(d);
    const bool returns = d.op.record->name == "atom", swaps = d.form.index() == 1 && returns;
    const size_t first = returns ? 1 : 0; // the address operand
    const uint32_t each = bytes_of(type);
    Atomic atomic;
    if (returns && d.operand(0).kind != ptx::Operand::Kind::sink)
        atomic.result = loaded(d, 0, each);
    d.op.address = d.address(first, d.space(".space"));
    atomic.source = stored(d, first + 1, each);
    if (swaps)
        atomic.compare = stored(d, first + 2, each);
    if (atomic.source.register_bytes != each || (swaps && atomic.compare.register_bytes != each) ||
        (atomic.result.register_bytes && atomic.result.register_bytes != each))
        d.fail("atomics take registers of exactly their type's width");
    atomic.semantics = semantics(d, Semantics::relaxed);
    atomic.scope = scope(d, Scope::gpu);
    d.op.width = each * atomic.source.count;
    const Handler handler = atomic_handler(d, swaps ? std::string_view(".cas") : d.value(".op"), type);
    d.op.extra = d.keep(atomic);
    return handler;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "atom",
        .syntax = R"(
        atom{.sem}{.scope}{.space}.op{.noftz}{.hint}{.vec}.type d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.cas{.hint}.castype d, [a], b, c{, cache-policy};
        .castype = { .b16, .b32, .b64, .b128 };
        .sem = { .relaxed, .acquire, .release, .acq_rel };
        .scope = { .cta, .cluster, .gpu, .sys };
        .space = { .global, .shared{::cta, ::cluster} };
        .hint = { .L2::cache_hint };
        .op = { .and, .or, .xor, .exch, .add, .inc, .dec, .min, .max };
        .vec = { .v2, .v4, .v8 };
        .type = { .b32, .b64, .b128, .u32, .u64, .s32, .s64, .f32, .f64, .f16, .f16x2, .bf16, .bf16x2 };
)",
        .isa = 11,
        .sm = 11,
        .manual = "parallel-synchronization-and-communication-instructions-atom",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::atomic}, {".exch", effect::replaces}},
    },
    {
        .name = "red",
        .syntax = R"(
        red{.sem}{.scope}{.space}.op{.noftz}{.hint}{.vec}.type [a], b{, cache-policy};
        .sem = { .relaxed, .release };
        .scope = { .cta, .cluster, .gpu, .sys };
        .space = { .global, .shared{::cta, ::cluster} };
        .hint = { .L2::cache_hint };
        .op = { .and, .or, .xor, .exch, .add, .inc, .dec, .min, .max };
        .vec = { .v2, .v4, .v8 };
        .type = { .b32, .b64, .b128, .u32, .u64, .s32, .s64, .f32, .f64, .f16, .f16x2, .bf16, .bf16x2 };
)",
        .isa = 12,
        .sm = 12,
        .manual = "parallel-synchronization-and-communication-instructions-red",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::atomic}, {".exch", effect::replaces}},
    },
};

} // namespace sim::instructions::atom
