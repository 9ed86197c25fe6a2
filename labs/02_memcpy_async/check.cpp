#include <algorithm>

#include "check/check.h"
#include "check/constant.h"

using check::Means, check::sm_80, check::sm_90;

LAB(02_memcpy_async) = {
    .title = "memcpy_async",
    .concepts = {"cuda::memcpy_async", "cuda::barrier", "cooperative_groups::memcpy_async", "aligned_size_t",
                 "synchronous fallback"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .sms = 1,
    .needs = {{"barrier: ", "barrier: copies are asynchronous"}, {"group: ", "group: copies are asynchronous"}},
    .through = "every output comes through asynchronous copies of the input, read in shared memory where they land",
};

namespace {

constexpr int TILE = 1024;
LAB_CONSTANT(02_memcpy_async, RADIUS, 3, 1, 2, 4);
enum class Way : int { barrier, group };

std::vector<float> stencil(const std::vector<float>& in) {
    const int n = static_cast<int>(in.size());
    std::vector<float> out(in.size());
    for (int i = 0; i < n; ++i)
        for (int d = std::max(-RADIUS, -i); d <= std::min<int>(RADIUS, n - 1 - i); ++d)
            out[i] += static_cast<float>(d + RADIUS + 1) * in[i + d];
    return out;
}

/// The input begins `offset` elements after a 16-byte boundary.
check::Buffer<float> check_stencil(Way way, std::vector<float> values, size_t offset = 0) {
    const std::vector<float> expected = stencil(values);
    values.insert(values.begin(), offset, 1000.0f);
    const auto in = check::device(std::move(values));
    const auto out = check::output<float>(expected.size());
    check::follow(check::ranges(in), check::ranges(out));
    check::call(way, in + offset, out, static_cast<int>(expected.size()));
    check::equal(out, expected);
    check::unchanged(in);
    return in;
}

/// After a call with `bytes` bytes of input.
void check_asynchronous(uint64_t bytes) {
    const auto& stats = check::stats();
    check::that(stats.cp_async_bytes + stats.bulk_load_bytes >= bytes,
                "asynchronous copies move the whole input from global to shared memory");
    check::that(stats.staged_bytes == 0, "no input is staged through registers");
}

LAB_CASE("barrier: one element", 1) {
    check_stencil(Way::barrier, {1.5f});
}

LAB_CASE("barrier: empty input, then a short one", 1) {
    check_stencil(Way::barrier, {});
    check_stencil(Way::barrier, check::random_values<float>(5));
}

LAB_CASE("barrier: ragged tail", 3) {
    for (const int rest : {1, 4, TILE - 1})
        check_stencil(Way::barrier, check::random_values<float>(8 * TILE + rest));
}

LAB_CASE("barrier: more tiles than fit on the device at once", 2) {
    check_stencil(Way::barrier, check::random_values<float>(40 * TILE + check::random_between(1, TILE)));
}

LAB_CASE("barrier: input that is not 16-byte aligned", 2) {
    for (const size_t offset : {1, 2})
        check_stencil(Way::barrier, check::random_values<float>(5 * TILE + 10), offset);
    for (const size_t size : {600, 800}) // some threads copy once or twice, others not at all
        check_stencil(Way::barrier, check::random_values<float>(size), 1);
}

LAB_CASE("barrier: copies are asynchronous", 3) {
    const uint64_t tiles = 10, bytes = tiles * TILE * sizeof(float);
    check::brought_by_copies(check_stencil(Way::barrier, check::random_values<float>(tiles * TILE)));
    check_asynchronous(bytes);
    if (check::target().sm >= 90)
        check::that(check::stats().bulk_load_bytes >= bytes,
                    "on sm_90, aligned copies that are bound to a barrier become bulk copies");
    check::that(check::target().sm < 90 || check::used_by(Means::bulk), lab_02_memcpy_async.through);
}

LAB_CASE("group: one element", 1) {
    check_stencil(Way::group, {1.5f});
}

LAB_CASE("group: empty input, then a short one", 1) {
    check_stencil(Way::group, {});
    check_stencil(Way::group, check::random_values<float>(5));
}

LAB_CASE("group: ragged tail", 3) {
    for (const int rest : {1, 4, TILE - 1})
        check_stencil(Way::group, check::random_values<float>(8 * TILE + rest));
}

LAB_CASE("group: more tiles than fit on the device at once", 2) {
    check_stencil(Way::group, check::random_values<float>(40 * TILE + check::random_between(1, TILE)));
}

LAB_CASE("group: input that is not 16-byte aligned", 2) {
    for (const size_t offset : {1, 2})
        check_stencil(Way::group, check::random_values<float>(5 * TILE + 10), offset);
}

LAB_CASE("group: copies are asynchronous", 3) {
    check::brought_by_copies(check_stencil(Way::group, check::random_values<float>(10 * TILE)));
    check_asynchronous(10 * TILE * sizeof(float));
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(float);
    const auto in = check::filled<float>(n), out = check::filled<float>(n);
    check::measure("cuda::barrier", 2 * check::bench_bytes(), Way::barrier, in, out, static_cast<int>(n));
    check::measure("cooperative groups", 2 * check::bench_bytes(), Way::group, in, out, static_cast<int>(n));
}

} // namespace
