#include "check/check.h"
#include "check/constant.h"

using check::sm_80, check::sm_90;

LAB(05_wait_group) = {
    .title = "wait_group",
    .concepts = {"cp.async.commit_group", "cp.async.wait_group", "empty groups", "prefetch distance"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "STAGES - 1 tiles are in flight"}},
    .through = "every output comes through cp.async: copies of the input, read in shared memory where they land; "
               "with three stages or more, some are in flight while others are read",
    .modelled = "STAGES - 1 tiles are in flight",
    .speed = {.points = 2, .ratio = 1.4},
};

namespace {

LAB_CONSTANT(05_wait_group, THREADS, 224, 128, 160, 192, 256);

int tile() { // samples: eight for each thread
    return 8 * THREADS;
}

std::vector<uint32_t> encoded(const std::vector<uint32_t>& in) {
    std::vector<uint32_t> out(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        out[i] = in[i] - (i % static_cast<size_t>(tile()) == 0 ? 0 : in[i - 1]);
    return out;
}

void check_encode(int n, int stages) {
    const auto in = check::random<uint32_t>(n);
    const auto out = check::output<uint32_t>(n);
    check::follow(check::ranges(in), check::ranges(out));
    check::call(in, out, n, stages);
    check::equal(out, encoded(in.values()));
    check::unchanged(in);
    check::brought_by_copies(in);
    check::in_one_pass(in);
}

LAB_CASE("one tile", 1) {
    check_encode(tile(), 4);
}

LAB_CASE("one sample", 1) {
    check_encode(1, 4);
}

LAB_CASE("empty input", 1) {
    check_encode(0, 3);
}

LAB_CASE("ragged tail", 2) {
    for (const int rest : {1, 6, tile() - 1})
        check_encode(8 * tile() + rest, 4);
}

LAB_CASE("fewer tiles than stages", 2) {
    check_encode(2 * 8 * tile(), 6);
    check_encode(9 * tile(), 4);
}

LAB_CASE("any number of stages", 3) {
    for (const int stages : {2, 3, 4, 6})
        check_encode((8 * 7 + 3) * tile() + 11, stages);
}

LAB_CASE("more tiles than fit on the device at once", 1) {
    check_encode(40 * tile() + static_cast<int>(check::random_between(1, tile())), 4);
}

LAB_CASE("the input is copied once, asynchronously", 2) {
    const int n = 24 * tile();
    check_encode(n, 4);
    check::that(check::stats().cp_async_bytes == n * sizeof(uint32_t),
                "cp.async moves each sample to shared memory once");
    check::that(check::stats().staged_bytes == 0, "no input is staged through registers");
}

LAB_CASE("STAGES - 1 tiles are in flight", 8) {
    check::Overlap overlap;
    for (const int stages : {6, 4, 3, 2}) {
        check_encode(96 * tile(), stages);
        check::that(stages == 2 || !check::flow() || check::flow()->groups >= 1, lab_05_wait_group.through);
        overlap.groups(static_cast<uint32_t>(stages) - 1, std::to_string(stages) + " stages");
    }
    overlap.judge("STAGES - 1 tiles are in flight while a tile is encoded, for every number of stages");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(uint32_t);
    const auto in = check::filled<uint32_t>(n), out = check::filled<uint32_t>(n);
    for (const int stages : {2, 3, 4, 6})
        check::measure(std::to_string(stages) + " stages", 2 * check::bench_bytes(), in, out, static_cast<int>(n),
                       stages);
}

} // namespace
