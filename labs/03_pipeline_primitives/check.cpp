#include "check/check.h"

using check::sm_80, check::sm_90;

LAB(03_pipeline_primitives) = {
    .title = "Pipeline primitives",
    .concepts = {"__pipeline_memcpy_async", "__pipeline_commit", "__pipeline_wait_prior", "double buffering"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "copies overlap the computation"}},
    .through = "every output comes through cp.async: copies of the input, read in shared memory where they land, "
               "and a tile of them in flight while another one is computed",
    .modelled = "copies overlap the computation",
    .speed = {.points = 2, .ratio = 1.4},
};

namespace {

constexpr int TILE = 1280;

std::vector<float> difference(const std::vector<float>& in) {
    std::vector<float> out(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        out[i] = (i + 1 < in.size() ? in[i + 1] : 0.0f) - in[i];
    return out;
}

void check_difference(const check::Buffer<float>& in) {
    const auto out = check::output<float>(in.size());
    check::follow(check::ranges(in), check::ranges(out));
    check::call(in, out, static_cast<int>(in.size()));
    check::equal(out, difference(in.values()));
    check::unchanged(in);
    check::brought_by_copies(in);
    check::in_one_pass(in);
}

LAB_CASE("one element", 1) {
    check_difference(check::random<float>(1));
}

LAB_CASE("empty input, then a short one", 1) {
    check_difference(check::device<float>({}));
    check_difference(check::random<float>(5));
}

LAB_CASE("one tile", 2) {
    check_difference(check::random<float>(TILE));
}

LAB_CASE("ragged tail", 2) {
    for (const int rest : {1, 4, TILE - 1})
        check_difference(check::random<float>(8 * TILE + rest));
}

LAB_CASE("several tiles per block", 2) {
    check_difference(check::random<float>(12 * TILE));
}

LAB_CASE("more tiles than fit on the device at once", 1) {
    check_difference(check::random<float>(70 * TILE + check::random_between(1, TILE)));
}

LAB_CASE("every input byte is copied asynchronously", 2) {
    const uint64_t bytes = 10 * TILE * sizeof(float);
    check_difference(check::random<float>(10 * TILE));
    check::that(check::stats().cp_async_bytes >= bytes && check::stats().cp_async_bytes <= bytes + bytes / 32,
                "cp.async moves the whole input to shared memory, once");
    check::that(check::stats().staged_bytes == 0, "no input is staged through registers");
}

LAB_CASE("copies overlap the computation", 7) {
    check::Overlap overlap;
    check_difference(check::random<float>(48 * TILE));
    check::that(!check::flow() || check::flow()->groups >= 1, lab_03_pipeline_primitives.through);
    overlap.groups(1);
    overlap.judge("while a tile is computed, the copies of the next one are in flight, in every round");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(float);
    const auto in = check::filled<float>(n), out = check::filled<float>(n);
    check::measure("", 2 * check::bench_bytes(), in, out, static_cast<int>(n));
}

} // namespace
