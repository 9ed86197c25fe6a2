// count_loops LOOP FILE.ptx on|off: one short launch of a loop of `./lab bench device`, with the hazard detector on or
// off, for callgrind to count its instructions.
#include <algorithm>
#include <cstdio>

#include "base/files.h"
#include "base/problem.h"
#include "runner/bench_device.h"

int main(int count, char** words) {
    const auto& loops = runner::device_loops();
    const auto loop = count == 4 ? std::ranges::find(loops, words[1], &runner::DeviceLoop::name) : loops.end();
    if (loop == loops.end()) {
        std::fputs("usage: count_loops LOOP FILE.ptx on|off\n", stderr);
        return 2;
    }
    runner::DeviceLoop brief = *loop;
    brief.n = std::max(brief.n / 20, 1u);
    try {
        runner::time_loop(brief, base::read_file(words[2]), std::string_view(words[3]) == "on", 1);
    } catch (const base::Problem& problem) {
        std::fprintf(stderr, "%s\n", problem.what.c_str());
        return 1;
    }
}
