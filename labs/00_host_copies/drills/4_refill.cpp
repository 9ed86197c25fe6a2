#include "check/check.h"

EXERCISE(00_host_copies, drills, 4_refill) = {
    .title = "Before you refill",
    .concepts = {"cudaEventSynchronize", "staging buffer"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_00_drill_4 {

void check_chunks(int chunks) {
    const int n = 256 * chunks;
    std::vector<int> values = check::random_values<int>(n), squares;
    for (int& value : values) {
        value %= 10000;
        squares.push_back(value * value);
    }
    const check::Buffer<int> in(values, check::Place::pageable);
    const auto device = check::output<int>(n), out = check::output<int>(n);
    check::call(in, device, out, n);
    check::equal(out, squares);
}

LAB_CASE("no chunk is overwritten in the staging buffer", 2) {
    check_chunks(5);
    check_chunks(1);
}

LAB_CASE("the host waits for uploads only", 1) {
    using Kind = check::HostOperation::Kind;
    check_chunks(4);
    int launched = 0;
    for (const auto& operation : check::operations()) {
        launched += operation.kind == Kind::launch;
        if (operation.kind == Kind::host_wait && launched < 4)
            check::that(operation.stream == 0, "the host waits for the event behind the upload, not for the stream");
    }
}

} // namespace lab_00_drill_4
