#include "check/check.h"

EXERCISE(02_memcpy_async, drills, 4_promise) = {
    .title = "What can you promise?",
    .concepts = {"cuda::aligned_size_t", "alignment"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_02_drill_4 {

LAB_CASE("as much as is true", 2) {
    const auto in = check::random<float>(200), out = check::output<float>(187);
    check::call(in, out);
    std::vector<float> expected(in.begin() + 4, in.begin() + 68);
    expected.insert(expected.end(), in.begin() + 70, in.begin() + 130);
    expected.insert(expected.end(), in.begin() + 132, in.begin() + 195);
    check::equal(out, expected);
    check::that(check::stats().staged_bytes == 0, "all three copies are asynchronous");
    check::that(check::stats().bulk_load_bytes == 64 * sizeof(float), "the first one is a single bulk copy");
    check::that(check::stats().cp_async_bytes == 123 * sizeof(float), "the other two are cp.async copies");
}

} // namespace lab_02_drill_4
