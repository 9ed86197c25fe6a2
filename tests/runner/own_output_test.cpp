// What a report repeats of the program's output.
#include <doctest/doctest.h>

#include "runner/own_output.h"

TEST_CASE("a table that a finding holds is not shown a second time, whatever else the program prints") {
    const std::string table = "no thread can make progress:\n  block 0 warp 0 waits\n  block 0 warp 1 waits";
    check::RunResult result;
    result.findings.emplace_back().message = table;
    result.output = "asynclab: " + table + "\n";
    CHECK(runner::own_output(result).empty());
    result.output = "asynclab: no thread can make progress\n"; // without the table
    CHECK(runner::own_output(result).empty());
    result.output = "mine\nasynclab: " + table + "\n  block 0 of mine\n";
    CHECK(runner::own_output(result) == "mine\n  block 0 of mine\n");
}

TEST_CASE("what no finding says is shown") {
    check::RunResult result;
    result.output = "asynclab: something else\n  block 0 warp 0 waits\n";
    CHECK(runner::own_output(result) == result.output);
}
