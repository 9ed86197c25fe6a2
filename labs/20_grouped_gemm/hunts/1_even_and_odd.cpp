#include "check/check.h"

EXERCISE(20_grouped_gemm, hunts, 1_even_and_odd) = {
    .title = "Even and odd",
    .concepts = {"maps in turn"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_20_hunt_1 {

struct Matrix { // as in the kernel's file
    uint64_t in, out;
    int32_t rows, padding;
};

void check_batch(const std::vector<size_t>& rows) {
    std::vector<check::Buffer<uint32_t>> in, out;
    std::vector<Matrix> batch;
    for (const size_t count : rows) {
        in.push_back(check::random<uint32_t>(count * 32));
        out.push_back(check::output<uint32_t>(count * 32));
        batch.push_back({in.back().address(), out.back().address(), static_cast<int32_t>(count), 0});
    }
    check::call(check::device(batch), static_cast<int>(batch.size()));
    for (size_t m = 0; m < rows.size(); ++m) {
        CAPTURE(m);
        std::vector<uint32_t> expected = in[m].values();
        for (uint32_t& value : expected)
            value = ~value;
        check::equal(out[m], expected, {rows[m], 32});
    }
}

LAB_CASE("two tiles each", 1) {
    check_batch({64, 50, 64});
}

LAB_CASE("different numbers of tiles", 2) {
    check_batch({32, 100, 64, 20, 20});
}

} // namespace lab_20_hunt_1
