#include "check/check.h"

EXERCISE(07_split_barrier, drills, 1_token) = {
    .title = "Arrive now, wait later",
    .concepts = {"arrive", "token", "wait"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_drill_1 {

LAB_CASE("each thread has the other one's number", 2) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out);
    std::vector<int> expected(128);
    for (size_t t = 0; t < 128; ++t) {
        unsigned own = in[t];
        for (int i = 0; i < 8; ++i)
            own = own * own + 1;
        expected[t] = static_cast<int>(own + 3 * unsigned(in[127 - t]));
    }
    check::equal(out, expected);
    check::that(check::stats().block_barriers <= 4, "the only __syncthreads() is the one after the initialisation");
}

} // namespace lab_07_drill_1
