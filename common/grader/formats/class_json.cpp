// The report of a class for other programs.
#include <nlohmann/json.hpp>

#include "grader/formats/formats.h"
#include "grader/formats/overview.h"
#include "grader/formats/results.h"

namespace grader::class_json_format {
namespace {

using nlohmann::json;

json of_lab(const LabOverview& lab) {
    json todos = json::object(), results = json::array();
    for (const auto& [todo, count] : lab.todos)
        todos[todo] = {{"students_with_errors", count.findings}, {"students_who_left_it", count.untouched}};
    for (const auto& one : lab.results)
        results.push_back(
            {{"outcome", one.outcome},
             {"message", one.message},
             {"todo", one.todo},
             {"students", one.students},
             {"example",
              {{"submission", one.example.submission}, {"case", one.example.item}, {"line", one.example.line}}}});
    return {{"lab", lab.lab},
            {"handed_in", lab.handed_in},
            {"missing", lab.missing},
            {"possible", lab.possible},
            {"histogram", {{"step", lab.step}, {"students", lab.bars}}},
            {"todos", todos},
            {"common_results", results}};
}

Written write(const Source& source) {
    const Overview view = overview(source.results, source.alike);
    json document{{"course", view.course}, {"submissions", view.submissions}, {"accounting", view.accounting}};
    for (const auto& one : view.obstacles)
        document["obstacles"].push_back({{"name", one.name}, {"students", one.students}, {"labs", one.labs}});
    for (const auto& lab : view.labs)
        document["labs"].push_back(of_lab(lab));
    for (const auto& talk : view.talks)
        document["talks"].push_back({{"submission", talk.submission}, {"name", talk.name}, {"reasons", talk.reasons}});
    for (const char* list : {"obstacles", "labs", "talks"})
        if (!document.contains(list))
            document[list] = json::array();
    return {document.dump(1, ' ', true, json::error_handler_t::replace) +
            "\n"}; // ASCII: nothing of it changes how it reads
}

} // namespace

GRADE_FORMAT = {
    .name = "class-json",
    .help = "the same for other programs",
    .write = write,
    .report = "class",
    .extension = ".json",
};

} // namespace grader::class_json_format
