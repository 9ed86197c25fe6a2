#include "grader/convert.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "grader/reports.h"

namespace grader {

Written convert(const Format& format, const ConvertOptions& options) {
    const bool batch = fs::is_directory(options.results / "results");
    const auto results = read_results(batch ? options.results / "results" : options.results);
    if (format.of == Format::Of::each && results.size() != 1)
        throw base::Problem{
            fmt::format("{} is made of one result, {} has {}", format.name, options.results.string(), results.size()),
            "name one: graded/results/ID.json"};
    if (format.of != Format::Of::gradebook)
        return format.write({.results = results, .alike = batch ? read_pairs(options.results) : std::vector<Pair>{}});
    if (options.exported.empty())
        throw base::Problem{fmt::format("{} fills in a file that you have exported", format.name), "--into EXPORT.csv"};
    const std::string exported = base::read_file(options.exported);
    return format.write({.results = results, .exported = exported, .fill = options.fill});
}

} // namespace grader
