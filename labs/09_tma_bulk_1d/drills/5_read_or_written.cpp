#include "check/check.h"

EXERCISE(09_tma_bulk_1d, drills, 5_read_or_written) = {
    .title = "Read or written?",
    .concepts = {"wait_group", "wait_group.read"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_drill_5 {

LAB_CASE("the stored table is read", 2) {
    const auto tables = check::output<int>(256), out = check::output<int>(256);
    const auto index = check::random<int>(256);
    check::call(tables, index, out);
    std::vector<int> table(256), expected(256);
    for (int i = 0; i < 256; ++i) {
        table[i] = i % 128 * (i % 128) + i / 128;
        expected[i] = (index[i] & 127) * (index[i] & 127) + i / 128;
    }
    check::equal(tables, table);
    check::equal(out, expected);
    check::that(check::stats().bulk_store_bytes == 256 * sizeof(int), "cp.async.bulk stores the tables");
}

} // namespace lab_09_drill_5
