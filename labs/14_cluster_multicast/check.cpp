#include "check/check.h"

using check::Means, check::sm_90;

LAB(14_cluster_multicast) = {
    .title = "Clusters and multicast",
    .concepts = {"thread block clusters", "multicast loads", "each block's own expect_tx", "copies to a neighbour",
                 "barrier.cluster", "fence.mbarrier_init"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .needs = {{"", "the gain is loaded once for the cluster"}},
    .through =
        "every output comes through the gain that a multicast copy has brought to its own block, and the previous "
        "frame that its neighbour has copied to it",
};

namespace {

constexpr size_t CLUSTER = 4, TILE = 32, TILE_BYTES = TILE * TILE * sizeof(uint32_t);

void check_calibration(size_t width, size_t height, size_t count) {
    const size_t frame = width * height;
    const auto in = check::random<uint32_t>(frame * count);
    const auto gain = check::random<uint32_t>(frame);
    const auto out = check::output<uint32_t>(frame * count);
    if (count % CLUSTER == 0) // a block without a frame uses nothing of what it receives
        check::follow(check::ranges(in, gain), check::ranges(out));
    check::call(in, gain, out, static_cast<int>(width), static_cast<int>(height), static_cast<int>(count));
    std::vector<uint32_t> expected(frame * count);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = gain[i % frame] * in[i] - (i < frame ? 0 : in[i - frame]);
    check::equal(out, expected, {count * height, width});
    check::unchanged(in);
    check::brought_by_copies(in, gain);
    check::unchanged(gain);
}

LAB_CASE("one tile of four frames", 2) {
    check_calibration(32, 32, 4);
}

LAB_CASE("one frame", 1) {
    check_calibration(32, 32, 1);
}

LAB_CASE("nothing to do", 1) {
    check_calibration(32, 32, 0);
    check_calibration(0, 3, 2);
}

LAB_CASE("ragged edges", 2) {
    check_calibration(36, 5, 6);
    check_calibration(4, 33, 3);
}

LAB_CASE("several clusters", 2) {
    check_calibration(64, 32, 8);
}

LAB_CASE("several rounds", 4) {
    check_calibration(100, 70, 10);
}

LAB_CASE("more blocks than fit on the device at once", 2) {
    check_calibration(static_cast<size_t>(4 * check::random_between(28, 36)), 128, 19);
}

LAB_CASE("the gain is loaded once for the cluster", 4) {
    check_calibration(64, 64, 8);
    constexpr uint64_t jobs = 2 * 2 * 2;
    check::that(check::stats().multicast_bytes == jobs * (CLUSTER - 1) * TILE_BYTES,
                "multicast copies bring the gain to all four blocks, and one block loads each slice");
    check::that(check::stats().staged_bytes == 0, "no input is staged through registers");
    check::that(check::all_used(Means::multicast) && check::all_used(Means::peer), lab_14_cluster_multicast.through);
}

LAB_CASE("frames come from the neighbour", 4) {
    check_calibration(64, 64, 8);
    constexpr uint64_t jobs = 2 * 2 * 2;
    const auto& seen = check::stats();
    check::that(seen.peer_copy_bytes == jobs * (CLUSTER - 1) * TILE_BYTES,
                "every block but the first gets the previous frame from its neighbour's shared memory");
    check::that(seen.tensor_load_bytes - seen.multicast_bytes == jobs * (CLUSTER + 2) * TILE_BYTES,
                "each cluster loads the gain, its four frames and the frame before them once");
    check::that(check::all_used(Means::multicast) && check::all_used(Means::peer), lab_14_cluster_multicast.through);
}

LAB_BENCH {
    const size_t width = 256, height = check::bench_bytes() / (32 * sizeof(uint32_t) * width), frame = width * height;
    const auto in = check::filled<uint32_t>(32 * frame), gain = check::filled<uint32_t>(frame);
    const auto out = check::filled<uint32_t>(32 * frame);
    check::measure("", (2 * 32 + 1) * frame * sizeof(uint32_t), in, gain, out, static_cast<int>(width),
                   static_cast<int>(height), 32);
}

} // namespace
