#include "check/check.h"

EXERCISE(00_host_copies, drills, 1_pinned) = {
    .title = "From which memory?",
    .concepts = {"pinned memory", "cudaMemcpyAsync"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_00_drill_1 {

LAB_CASE("the upload is asynchronous", 2) {
    const int n = 1000;
    const auto in = check::random<int>(n, check::Place::pageable);
    const auto out = check::output<int>(n);
    check::call(in, out, n);
    std::vector<int> expected;
    for (const int value : in)
        expected.push_back(static_cast<int>(static_cast<unsigned>(value) * static_cast<unsigned>(value)));
    check::equal(out, expected);
    for (const auto& operation : check::operations())
        check::that(!operation.pageable, "the copy reads pinned memory; from pageable memory the host copies first");
}

} // namespace lab_00_drill_1
