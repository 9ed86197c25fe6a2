// What is read of compute-sanitizer's output.
#include "runner/tool_findings.h"

#include <doctest/doctest.h>

using runner::tool_findings, runner::ToolFinding;

namespace {

const char* const clean = R"(========= COMPUTE-SANITIZER
12 rows
========= ERROR SUMMARY: 0 errors
)";

const char* const race = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at stage(const float *, int)+0x120 in /home/me/labs/kernel.cu:35
=========     and Read access at stage(const float *, int)+0x4f0 in /home/me/labs/kernel.cu:45 [96 hazards]
=========     and Read access at stage(const float *, int)+0x5c0 in /usr/include/pipe.h:9 [32 hazards]
=========     and Read access at stage(const float *, int)+0x600 in /usr/include/pipe.h:9 [32 hazards]
=========
========= Error: Race reported between Write access at stage(const float *, int)+0x1a0 in /home/me/labs/kernel.cu:35
=========     and Read access at stage(const float *, int)+0x4f0 in /home/me/labs/kernel.cu:45 [96 hazards]
=========     and Read access at stage(const float *, int)+0x5c0 in /usr/include/pipe.h:9 [32 hazards]
=========
========= Warning: Race reported between Write access at stage(const float *, int)+0x120 in /home/me/labs/kernel.cu:35
=========     and Write access at stage(const float *, int)+0x120 in /home/me/labs/kernel.cu:35 [8 hazards]
=========
========= RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 warning)
)";

const char* const overrun = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at kernel(const float *, int)+0x2b0 in kernel.cu:29
=========     by thread (254,0,0) in block (0,0,0)
=========     Access to 0x7f2c1fa00404 is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: launch [0x9e12] in program
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaMalloc.
=========     Saved host backtrace up to driver entry point at error
=========
========= Target application returned an error
========= ERROR SUMMARY: 2 errors
)";

} // namespace

TEST_CASE("a clean log, an empty one, and one of another program") {
    CHECK(tool_findings(clean).empty());
    CHECK(tool_findings("").empty());
    CHECK(tool_findings("error: no GPU in kernel.cu:3\n====\n").empty());
}

TEST_CASE("races: the lines of all accesses, each pair once") {
    const std::vector<ToolFinding> expected{
        {"Error: Race reported between Write access and Read access at kernel.cu:45 and Read access at pipe.h:9",
         "kernel.cu:35", 2},
        {"Warning: Race reported between Write access and Write access at kernel.cu:35", "kernel.cu:35", 1}};
    CHECK(tool_findings(race) == expected);
}

TEST_CASE("invalid accesses have their line, errors of calls have none") {
    const auto found = tool_findings(overrun);
    REQUIRE(found.size() == 2);
    CHECK(found[0] == ToolFinding{"Invalid __global__ read of size 4 bytes", "kernel.cu:29", 1});
    CHECK(found[1].message.starts_with("Program hit cudaErrorLaunchFailure"));
    CHECK(found[1].place.empty());
}
