#include "check/check.h"

EXERCISE(15_tensormap_replace, drills, 5_the_next_kernel) = {
    .title = "The next kernel",
    .concepts = {"maps across kernels", "acquire in each block"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_drill_5 {

LAB_CASE("three maps", 2) {
    const auto in = check::random<float>(6 * 128), out = check::output<float>(3 * 128);
    std::vector<uint64_t> parts;
    std::vector<float> expected;
    for (const size_t first : {2, 5, 0}) {
        parts.push_back((in + first * 128).address());
        expected.insert(expected.end(), in.begin() + static_cast<int64_t>(first) * 128,
                        in.begin() + static_cast<int64_t>(first + 1) * 128);
    }
    check::call(check::device(parts), out, 3);
    check::equal(out, expected, {12, 32});
    check::that(check::stats().global_map_bytes == 3 * 512, "the copies use maps in global memory");
}

} // namespace lab_15_drill_5
