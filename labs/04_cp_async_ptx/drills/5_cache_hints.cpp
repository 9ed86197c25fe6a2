#include <algorithm>

#include "check/check.h"

EXERCISE(04_cp_async_ptx, drills, 5_cache_hints) = {
    .title = "Hints for L2",
    .concepts = {".L2::128B", "createpolicy", ".L2::cache_hint"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_04_drill_5 {

LAB_CASE("the largest of each four numbers", 1) {
    for (const int n : {512, 517, 1022}) {
        const auto in = check::random<uint32_t>(n), out = check::output<uint32_t>((n + 3) / 4);
        check::call(in, out, n);
        std::vector<uint32_t> expected((n + 3) / 4);
        for (int i = 0; i < n; ++i)
            expected[i / 4] = std::max(expected[i / 4], in[i]);
        check::equal(out, expected);
    }
}

} // namespace lab_04_drill_5
