#include "check/check.h"

EXERCISE(00_host_copies, drills, 5_across_streams) = {
    .title = "From one stream to another",
    .concepts = {"cudaEventRecord", "cudaStreamWaitEvent"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_00_drill_5 {

LAB_CASE("the kernel waits, the host does not", 2) {
    using Kind = check::HostOperation::Kind;
    constexpr int N = 512;
    std::vector<int> values = check::random_values<int>(N), squares;
    for (int& value : values) {
        value %= 10000;
        squares.push_back(value * value);
    }
    const check::Buffer<int> in(values, check::Place::pinned);
    const auto device = check::zeros<int>(N), out = check::output<int>(N);
    check::call(in, device, out);
    check::equal(out, squares);
    bool launched = false;
    for (const auto& operation : check::operations()) {
        launched |= operation.kind == Kind::launch;
        check::that(operation.kind != Kind::host_wait || launched,
                    "the host launches the kernel without waiting for the upload");
    }
}

} // namespace lab_00_drill_5
