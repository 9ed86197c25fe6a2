#include "grader/course.h"

#include <cmath>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "check/constant.h"
#include "grader/lab_names.h"
#include "grader/toml.h"

namespace grader {
namespace {

using namespace toml_file;

Time time_of(const toml::node& node, const fs::path& file) {
    if (const auto* moment = node.as_date_time()) {
        const toml::date_time& t = moment->get();
        const std::chrono::year_month_day day{std::chrono::year(t.date.year), std::chrono::month(t.date.month),
                                              std::chrono::day(t.date.day)};
        return std::chrono::sys_days(day) + std::chrono::hours(t.time.hour) + std::chrono::minutes(t.time.minute) +
               std::chrono::seconds(t.time.second) - std::chrono::minutes(t.offset ? t.offset->minutes : 0);
    }
    if (const auto* text = node.as_string())
        if (const auto time = time_from(text->get()))
            return *time;
    fail(node, file, "a time looks like 2026-02-01T23:59:00+01:00");
}

CourseLab lab(const toml::node& node, const fs::path& file) {
    CourseLab result;
    for (const auto& [key, value] : table_of(node, file, "{ weight = 1, due = 2026-02-01T23:59:00Z }")) {
        if (key == "weight")
            result.weight = number(value, file, 0, 1e6);
        else if (key == "due")
            result.due = time_of(value, file);
        else if (key == "hidden") {
            const auto* names = value.as_array();
            if (!names)
                fail(value, file, "expected a list: hidden = [\"ragged tail\"]");
            for (const auto& name : *names)
                result.hidden.insert(text_of(name, file, "hidden = [\"ragged tail\"]"));
        } else
            fail(value, file, fmt::format("a lab has weight, due and hidden, no '{}'", key.str()));
    }
    return result;
}

void read_late(LatePolicy& late, const toml::node& node, const fs::path& file) {
    for (const auto& [key, value] : table_of(node, file, "[late]")) {
        if (key == "grace_minutes")
            late.grace = std::chrono::minutes(static_cast<int>(number(value, file, 0, 1e6)));
        else if (key == "percent_per_day")
            late.percent_per_day = number(value, file, 0, 100);
        else if (key == "most_percent")
            late.most_percent = number(value, file, 0, 100);
        else if (key == "days")
            late.days = static_cast<int>(number(value, file, 0, 3650));
        else if (key == "canvas_days")
            late.canvas_days = static_cast<int>(number(value, file, 0, 3650));
        else
            fail(value, file,
                 fmt::format("late has grace_minutes, percent_per_day, most_percent, days and canvas_days, no '{}'",
                             key.str()));
    }
}

void read_points(Course& course, const toml::node& node, const fs::path& file) {
    for (const auto& [key, value] : table_of(node, file, "[points]")) {
        if (key == "hazard_percent") {
            course.hazard_percent = static_cast<int>(number(value, file, 0, 100));
            continue;
        }
        if (key != "gate")
            fail(value, file, fmt::format("points has gate and hazard_percent, no '{}'", key.str()));
        const std::string gate = text_of(value, file, "gate = \"strict\"");
        if (gate != "strict" && gate != "mechanism")
            fail(value, file, fmt::format("gate is \"mechanism\" or \"strict\", not \"{}\"", gate));
        course.strict_gate = gate == "strict";
    }
}

void read_variants(Variants& variants, const toml::node& node, const fs::path& file,
                   const std::vector<std::string>& labs) {
    for (const auto& [key, value] : table_of(node, file, "[variants]")) {
        if (key == "labs") {
            const auto* names = value.as_array();
            if (!names)
                fail(value, file, "expected a list: labs = [\"01\", \"05\"]");
            for (const auto& item : *names) {
                const std::string name = text_of(item, file, "labs = [\"01\", \"05\"]");
                const auto known = lab_named(name, labs);
                if (!known)
                    fail(item, file, fmt::format("there is no lab '{}'", name));
                if (check::constants_of(*known).empty())
                    fail(item, file,
                         fmt::format("lab {} has no constants of a student's own; ./lab variant lists those that have",
                                     *known));
                variants.labs.insert(*known);
            }
        } else if (key == "ids") {
            for (const auto& [submission, id] : table_of(value, file, "[variants.ids]"))
                variants.called[std::string(submission.str())] = text_of(id, file, "alice = \"s1234567\"");
        } else {
            fail(value, file, fmt::format("variants has labs and ids, no '{}'", key.str()));
        }
    }
}

} // namespace

Course read_course(const fs::path& file, const std::vector<std::string>& labs) {
    Course course;
    const toml::table table = toml_file::read(file);
    for (const auto& [key, value] : table) {
        if (key == "title") {
            course.title = text_of(value, file, "title = \"GPU programming\"");
        } else if (key == "strict") {
            course.strict = truth_of(value, file, "strict = true");
        } else if (key == "points") {
            read_points(course, value, file);
        } else if (key == "late") {
            read_late(course.late, value, file);
        } else if (key == "labs") {
            for (const auto& [name, node] : table_of(value, file, "[labs]")) {
                const auto known = lab_named(name.str(), labs);
                if (!known)
                    fail(node, file, fmt::format("there is no lab '{}'", name.str()));
                if (!course.labs.emplace(*known, lab(node, file)).second)
                    fail(node, file, fmt::format("lab {} for the second time", *known));
            }
        } else if (key == "variants") {
            read_variants(course.variants, value, file, labs);
        } else if (key == "submitted") {
            for (const auto& [name, node] : table_of(value, file, "[submitted]"))
                course.submitted[std::string(name.str())] = time_of(node, file);
        } else {
            fail(value, file,
                 fmt::format("course.toml has title, strict, labs, points, late, variants and submitted, no '{}'",
                             key.str()));
        }
    }
    return course;
}

double late_share(const LatePolicy& policy, std::optional<Time> due, std::optional<Time> submitted) {
    if (!due || !submitted || *submitted <= *due + policy.grace)
        return 0;
    return late_share(policy, std::ceil(std::chrono::duration<double, std::ratio<86400>>(*submitted - *due).count()));
}

double late_share(const LatePolicy& policy, double days) {
    if (policy.days && days > *policy.days)
        return 1;
    return std::min(policy.percent_per_day * days, policy.most_percent) / 100;
}

} // namespace grader
