#include "check/check.h"

EXERCISE(06_cuda_pipeline, drills, 5_even_and_odd) = {
    .title = "Even threads copy, odd threads read",
    .concepts = {"cuda::pipeline_role", "partitioned"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_drill_5 {

LAB_CASE("every tile is mirrored and negated", 2) {
    for (const int tiles : {1, 5}) {
        const auto in = check::random<int>(32 * tiles), out = check::output<int>(32 * tiles);
        check::call(in, out, tiles);
        std::vector<int> expected(in.size());
        for (size_t i = 0; i < in.size(); ++i)
            expected[i] = static_cast<int>(0u - unsigned(in[i ^ 31]));
        check::equal(out, expected);
    }
}

} // namespace lab_06_drill_5
