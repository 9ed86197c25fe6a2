// What `./lab bench` shows of its measurements.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runner/bench_labs.h"

namespace runner {

namespace {

std::string times(double speedup) {
    return speedup > 0 ? fmt::format("{:5.2f} ×", speedup) : "       ";
}

// A bar of eighths; `full` characters stand for 1.
std::string bar(double value, int full) {
    static const char* const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = std::clamp(static_cast<int>(std::lround(value * full * 8)), 0, full * 8 * 4);
    std::string text;
    for (int i = 0; i < eighths / 8; ++i)
        text += "█";
    return text + parts[eighths % 8];
}

} // namespace

nlohmann::json to_json(const LabBench& bench) {
    nlohmann::json rows = nlohmann::json::array();
    for (const BenchRow& row : bench.rows) {
        nlohmann::json one{{"version", row.version}, {"variant", row.variant}, {"blocks_per_sm", row.blocks_per_sm}};
        if (row.problem.empty())
            one.update({{"bytes", row.bytes},
                        {"seconds", row.seconds},
                        {"bytes_per_second", row.bandwidth()},
                        {"of_copy", row.of_copy},
                        {"of_peak", row.of_peak},
                        {"speedup", row.speedup > 0 ? nlohmann::json(row.speedup) : nlohmann::json()},
                        {"modelled_cycles", row.cycles > 0 ? nlohmann::json(row.cycles) : nlohmann::json()},
                        {"operations_per_second", row.rate() > 0 ? nlohmann::json(row.rate()) : nlohmann::json()},
                        {"of_cublas", row.library > 0 ? nlohmann::json(row.of_library()) : nlohmann::json()},
                        {"modelled_speedup", row.modelled > 0 ? nlohmann::json(row.modelled) : nlohmann::json()}});
        else
            one["problem"] = row.problem;
        rows.push_back(one);
    }
    return {{"lab", bench.lab},
            {"copy_bytes_per_second", bench.copy},
            {"results", rows},
            {"points", bench.points},
            {"possible", bench.possible}};
}

std::string text(const LabBench& bench, const check::Lab& lab, bool colour) {
    const char *bold = colour ? "\033[1m" : "", *dim = colour ? "\033[2m" : "", *end = colour ? "\033[0m" : "";
    std::string out = fmt::format("{}{} {}{}\n", bold, bench.lab.substr(0, 2), lab.title, end);
    size_t name = 11, widest = 0;
    for (const BenchRow& row : bench.rows) {
        name = std::max(name, row.version.size());
        widest = std::max(widest, row.variant.size());
    }
    std::vector<uint32_t> shapes;
    for (const BenchRow& row : bench.rows)
        if (std::find(shapes.begin(), shapes.end(), row.blocks_per_sm) == shapes.end())
            shapes.push_back(row.blocks_per_sm);
    for (const uint32_t blocks : shapes) {
        out += blocks == 0
                   ? fmt::format("  {}as it is launched{}\n", dim, end)
                   : fmt::format("  {}at most {} block{} on each SM{}\n", dim, blocks, blocks == 1 ? "" : "s", end);
        for (const BenchRow& row : bench.rows) {
            if (row.blocks_per_sm != blocks)
                continue;
            out += fmt::format("    {:<{}}  {:<{}}", row.version, name, row.variant, widest);
            if (!row.problem.empty())
                out += "  " + row.problem.substr(0, row.problem.find('\n')) + "\n";
            else if (row.seconds > 0 && row.operations > 0)
                out += fmt::format("  {:6.1f} TFLOP/s  {}  {}  {}{}\n", row.rate() / 1e12,
                                   row.library > 0 ? fmt::format("{:4.2f} of cuBLAS", row.of_library())
                                                   : fmt::format("{:4.0f} GB/s", row.bandwidth() / 1e9),
                                   times(row.speedup), row.library > 0 ? bar(row.of_library(), 20) : "",
                                   row.modelled > 0 ? fmt::format("   model:{}", times(row.modelled)) : "");
            else if (row.seconds > 0)
                out += fmt::format("  {:6.0f} GB/s  {:4.2f} of the copy  {:4.2f} of the peak  {}  {}{}\n",
                                   row.bandwidth() / 1e9, row.of_copy, row.of_peak, times(row.speedup),
                                   bar(row.of_copy, 20),
                                   row.modelled > 0 ? fmt::format("   model:{}", times(row.modelled)) : "");
            else if (row.modelled > 0)
                out += fmt::format("  model: {}  {}\n", times(row.modelled), bar(row.modelled, 10));
            else
                out += fmt::format("  model: {:.0f} cycles\n", row.cycles);
        }
    }
    if (bench.possible)
        out += fmt::format("  speed: {} of {} points ({:.1f} times the synchronous version at one block per SM)\n",
                           bench.points, bench.possible, lab.speed.ratio);
    return out;
}

} // namespace runner
