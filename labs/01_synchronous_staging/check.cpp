#include <algorithm>

#include "check/check.h"
#include "check/constant.h"

using check::sm_80, check::sm_90;

LAB(01_synchronous_staging) = {
    .title = "Synchronous staging",
    .concepts = {"shared memory", "halo", "__syncthreads", "batched loads"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .sms = 1,
    .needs = {{"", "every input byte is staged once"}},
};

namespace {

constexpr int TILE = 1024;
LAB_CONSTANT(01_synchronous_staging, RADIUS, 3, 1, 2, 4, 5);

std::vector<float> stencil(const std::vector<float>& in) {
    const int n = static_cast<int>(in.size());
    std::vector<float> out(in.size());
    for (int i = 0; i < n; ++i)
        for (int d = std::max(-RADIUS, -i); d <= std::min<int>(RADIUS, n - 1 - i); ++d)
            out[i] += static_cast<float>(d + RADIUS + 1) * in[i + d];
    return out;
}

void check_stencil(const check::Buffer<float>& in) {
    const auto out = check::output<float>(in.size());
    check::call(in, out, static_cast<int>(in.size()));
    check::equal(out, stencil(in.values()));
    check::unchanged(in);
}

LAB_CASE("one element", 1) {
    check_stencil(check::random<float>(1));
}

LAB_CASE("empty input, then a short one", 1) {
    check_stencil(check::device<float>({}));
    check_stencil(check::random<float>(5));
}

LAB_CASE("one tile", 2) {
    check_stencil(check::random<float>(TILE));
}

LAB_CASE("ragged tail", 3) {
    // The last tile is the third one of its block, so the window still holds an earlier tile.
    for (const int rest : {1, int{RADIUS}, TILE - RADIUS + 1})
        check_stencil(check::random<float>(8 * TILE + rest));
}

LAB_CASE("several tiles per block", 3) {
    check_stencil(check::random<float>(12 * TILE));
}

LAB_CASE("more tiles than fit on the device at once", 2) {
    check_stencil(check::random<float>(40 * TILE + check::random_between(1, TILE)));
}

LAB_CASE("every input byte is staged once", 3) {
    const size_t tiles = 10, bytes = tiles * TILE * sizeof(float), halo = tiles * 2 * RADIUS * sizeof(float);
    check_stencil(check::random<float>(tiles * TILE));
    check::that(check::stats().staged_bytes >= bytes,
                "threads stage the whole input: from global memory through registers to shared memory");
    check::that(check::stats().global_load_bytes <= bytes + 2 * halo,
                "each element is loaded from global memory once, except in the halo, which two tiles load");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(float);
    const auto in = check::filled<float>(n), out = check::filled<float>(n);
    check::measure("", 2 * check::bench_bytes(), in, out, static_cast<int>(n));
}

} // namespace
