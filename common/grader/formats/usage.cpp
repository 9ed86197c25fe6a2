// What grading took: the only report that differs when a class is graded again.
#include <fmt/format.h>

#include "base/csv.h"
#include "grader/formats/formats.h"

namespace grader::usage_format {
namespace {

template <class Number>
std::string cell(const std::optional<Number>& value, double unit) {
    return value ? fmt::format("{:.2f}", static_cast<double>(*value) / unit) : "";
}

Written write(const Source& source) {
    std::string text = base::csv_line({"submission", "processor seconds", "peak MiB", "seconds of all labs",
                                       "processor seconds of the runs", "measured by"});
    for (const auto& result : source.results) {
        double seconds = 0, runs = 0;
        Taken all;
        for (const auto& [name, taken] : result.timing)
            if (name == whole_submission) {
                all = taken;
            } else {
                seconds += taken.seconds.value_or(0);
                runs += taken.processor_seconds.value_or(0);
            }
        text += base::csv_line({result.submission, cell(all.processor_seconds, 1), cell(all.peak_bytes, 1 << 20),
                                fmt::format("{:.2f}", seconds), fmt::format("{:.2f}", runs),
                                all.processor_seconds ? "a control group" : "the grader"});
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
