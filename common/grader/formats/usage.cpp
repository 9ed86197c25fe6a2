// What grading took: the only report that differs when a class is graded again.
#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/formats.h"

namespace grader::usage_format {
namespace {

std::string cell(const json& from, const char* key, double unit) {
    return from.contains(key) ? fmt::format("{:.2f}", from.at(key).get<double>() / unit) : "";
}

Written write(const Source& source) {
    using Fields = std::vector<std::string>;
    std::string text = csv_line(Fields{"submission", "processor seconds", "peak MiB", "seconds of all labs",
                                       "processor seconds of the runs", "measured by"});
    for (const auto& result : source.results) {
        double seconds = 0, runs = 0;
        const json timing = result.value("timing", json::object());
        for (const auto& lab : timing) {
            seconds += lab.value("seconds", 0.0);
            runs += lab.contains("seconds") ? lab.value("processor_seconds", 0.0) : 0;
        }
        const json all = timing.value("submission", json::object());
        text += csv_line(Fields{result.at("submission"), cell(all, "processor_seconds", 1),
                                cell(all, "peak_bytes", 1 << 20), fmt::format("{:.2f}", seconds),
                                fmt::format("{:.2f}", runs), all.empty() ? "the grader" : "a control group"});
    }
    return {text};
}

} // namespace

GRADE_FORMAT = {
    .name = "usage",
    .help = "usage.csv: processor time and memory of each submission",
    .write = write,
    .report = "usage",
    .extension = ".csv",
};

} // namespace grader::usage_format
