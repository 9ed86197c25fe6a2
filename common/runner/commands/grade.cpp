#include <iostream>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/files.h"
#include "base/problem.h"
#include "base/random.h"
#include "check/suite.h"
#include "grader/batch.h"
#include "grader/convert.h"
#include "grader/reports.h"
#include "runner/command.h"
#include "runner/names.h"

namespace runner::grade_command {

using base::Problem, base::write_file;
namespace {

struct GradeArguments {
    std::vector<std::string> submissions, labs;
    std::string out, course, shard, isolation, require, seeds = "public";
    std::string one, one_out, name;
    bool found = false, similarity = false, strict = false;
    std::string format, results, into, column, lab, to, platform;
    size_t schedules = 4;
    unsigned jobs = 0;
    unsigned compile_timeout = 120;
    double timeout = 10, lab_seconds = 300, lab_processor_seconds = 300;
    uint64_t repeat_seed = 0;
};

uint64_t repeat_seed_of(const GradeArguments& arguments) {
    if (arguments.repeat_seed)
        return arguments.repeat_seed;
    const char* given = std::getenv(grader::repeat_seed_variable);
    return given ? std::strtoull(given, nullptr, 10) : base::fresh_seed();
}

uint64_t seed_of(const std::string& policy) {
    if (policy == "public")
        return 1;
    if (policy == "secret") {
        if (const char* given = std::getenv(grader::seed_variable))
            return std::strtoull(given, nullptr, 10);
        return base::fresh_seed();
    }
    char* end = nullptr;
    const uint64_t seed = std::strtoull(policy.c_str(), &end, 10);
    if (policy.empty() || *end)
        throw Problem{"--seed-policy is public, secret or a number", "./lab grade --help"};
    return seed;
}

isolation::Level level_of(const GradeArguments& arguments) {
    const auto named = [](const std::string& name) {
        const auto level = isolation::level_named(name);
        if (!level)
            throw Problem{"there is no isolation level '" + name + "'", "limits, landlock, user or bubblewrap"};
        return *level;
    };
    const isolation::Level level = arguments.isolation.empty() ? isolation::strongest() : named(arguments.isolation);
    if (!isolation::why_not(level).empty())
        throw Problem{
            fmt::format("isolation level {} does not work here: {}", isolation::name(level), isolation::why_not(level)),
            "./lab doctor lists the levels"};
    if (!arguments.require.empty() && level < named(arguments.require))
        throw Problem{fmt::format("the strongest isolation here is {}, which is less than {}", isolation::name(level),
                                  arguments.require),
                      "./lab doctor says why"};
    return level;
}

void read(grader::BatchOptions& options, const GradeArguments& arguments) {
    std::vector<std::string> names;
    for (const auto& lab : check::labs())
        names.emplace_back(lab.name);
    if (!arguments.course.empty())
        options.course = grader::read_course(arguments.course, names);
    for (const auto& [lab, rules] : options.course.labs) {
        auto unknown = rules.hidden;
        std::string known;
        for (const auto& item : check::cases(lab)) {
            unknown.erase(item.name);
            known += (known.empty() ? "" : ", ") + item.name;
        }
        if (!unknown.empty()) // would be shown to students
            throw Problem{fmt::format("{}: lab {} has no case '{}' to hide", arguments.course, lab, *unknown.begin()),
                          "its cases: " + known};
    }
    for (const auto& lab : check::labs())
        if (arguments.labs.empty() ? options.course.labs.empty() || options.course.labs.contains(std::string(lab.name))
                                   : std::any_of(arguments.labs.begin(), arguments.labs.end(), [&](const auto& text) {
                                         return find_whole_lab(text).name == lab.name;
                                     }))
            options.grade.labs.push_back(&lab);
    options.grade.level = level_of(arguments);
    options.grade.seed = seed_of(arguments.seeds);
    options.grade.secret_seed = arguments.seeds == "secret";
    options.grade.schedules = std::clamp<size_t>(arguments.schedules, 1, 1000);
    options.grade.repeat_seed = repeat_seed_of(arguments);
    options.grade.chosen_repeat_seed = arguments.repeat_seed != 0;
    options.grade.budget = {arguments.lab_seconds, arguments.lab_processor_seconds};
    if (!(arguments.timeout > 0 && arguments.timeout <= 86'400) || arguments.compile_timeout < 1 ||
        !(arguments.lab_seconds > 0) || !(arguments.lab_processor_seconds > 0))
        throw Problem{"a time limit is a number of seconds above 0", "--timeout 10 --compile-timeout 120"};
    options.grade.timeout = arguments.timeout;
    options.grade.strict = arguments.strict || options.course.strict;
    options.grade.compile_timeout = arguments.compile_timeout;
    options.course_file = arguments.course;
    options.jobs = arguments.jobs;
}

void grade_one(Context& context, const GradeArguments& arguments) {
    grader::BatchOptions options;
    read(options, arguments);
    grader::Found found;
    if (arguments.found)
        found = grader::found_in(std::cin);
    else if (arguments.one.empty() || !fs::exists(arguments.one))
        throw Problem{"there is no submission '" + arguments.one + "'", "check the path after --submission"};
    else
        found = grader::one_submission(fs::canonical(arguments.one));
    if (!arguments.name.empty())
        found.id = arguments.name;
    StatusLine status;
    grader::write_result(
        fs::absolute(arguments.one_out),
        grader::grade_one(context.paths, found, options, [&](std::string_view what) { status.show(what); }));
}

void convert(const GradeArguments& arguments) {
    const auto& all = grader::formats();
    const auto format =
        std::find_if(all.begin(), all.end(), [&](const auto* one) { return one->name == arguments.format; });
    if (format == all.end())
        throw Problem{"there is no format '" + arguments.format + "'", "./lab grade convert --help lists them"};
    grader::ConvertOptions options{arguments.results, arguments.into, {arguments.column, ""}};
    if (!arguments.lab.empty())
        options.fill.lab = find_whole_lab(arguments.lab).name;
    const auto made = grader::convert(**format, options);
    for (const auto& remark : made.remarks)
        fmt::print(stderr, "{}\n", base::plain(remark));
    if (arguments.to.empty()) {
        if (std::fwrite(made.text.data(), 1, made.text.size(), stdout) != made.text.size() || std::fflush(stdout) != 0)
            throw Problem{"cannot write all of it to the standard output", "check the space there, or use --out"};
    } else
        write_file(fs::absolute(arguments.to), made.text);
}

void add_convert(CLI::App& grade, const std::shared_ptr<GradeArguments>& arguments) {
    auto* command = grade.add_subcommand("convert", "Write results in another format");
    std::string footer = "Formats:\n";
    for (const auto* one : grader::formats())
        footer += fmt::format("  {:<14}{}\n", one->name, one->help);
    command->footer(footer);
    command->add_option("FORMAT", arguments->format, "See below")->required();
    command->add_option("RESULTS", arguments->results, "The folder given to --out, or one result")->required();
    command->add_option("--into", arguments->into, "The export to fill in: canvas, moodle")->type_name("CSV");
    command->add_option("--column", arguments->column, "The export's column; by default, the only one that fits");
    command->add_option("--lab", arguments->lab, "This lab's score instead of the sum");
    command->add_option("--out", arguments->to, "Instead of stdout")->type_name("FILE");
    command->callback([arguments] { convert(*arguments); });
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<GradeArguments>();
    command.require_subcommand(0, 1);
    auto* one = command.add_subcommand("one", "Grade one submission");
    auto* merge = command.add_subcommand("merge", "Write the reports of a results folder again");
    for (auto* any : {&command, one}) {
        any->add_option("--labs", arguments->labs, "Only these")->delimiter(',');
        any->add_option("--course", arguments->course, "Weights, due dates, late policy")->type_name("FILE");
        any->add_option("--seed-policy", arguments->seeds,
                        "public: the inputs that students see; secret: fresh ones; or a number")
            ->capture_default_str();
        any->add_option("--repeat-seed", arguments->repeat_seed,
                        "For the values with which cases are repeated; by default, new ones that DIR keeps");
        any->add_option("--lab-seconds", arguments->lab_seconds, "What all runs of one lab may take together")
            ->capture_default_str();
        any->add_option("--lab-processor-seconds", arguments->lab_processor_seconds, "The same in processor time")
            ->capture_default_str();
        any->add_option("--isolation", arguments->isolation,
                        "limits, landlock, user or bubblewrap; by default, the strongest available");
        any->add_option("--require-isolation", arguments->require, "Refuse to grade with less")->type_name("LEVEL");
        any->add_option("--schedules", arguments->schedules, "How many schedules each case is run with")
            ->capture_default_str();
        any->add_flag("--strict", arguments->strict, "A warning fails a case, as an error does");
        any->add_option("--timeout", arguments->timeout, "Time limit for one run of one case, in seconds")
            ->capture_default_str();
        any->add_option("--compile-timeout", arguments->compile_timeout, "Time limit for one compiler call, in seconds")
            ->capture_default_str();
    }
    command.add_option("SUBMISSIONS", arguments->submissions, "Folders, files, archives, or folders of them");
    command.add_option("--out", arguments->out, "Folder for results and reports")->type_name("DIR");
    command.add_option("--jobs", arguments->jobs, "Submissions at a time; by default, one per processor");
    command
        .add_option("--platform", arguments->platform,
                    "SUBMISSIONS are downloads from moodle, canvas or gradescope, or none of these; by default, the "
                    "names of most entries decide")
        ->check(CLI::IsMember({"moodle", "canvas", "gradescope", "none"}));
    command.add_option("--shard", arguments->shard, "i/n: only every n-th submission, beginning with the i-th");
    one->add_option("--submission", arguments->one, "Folder, file or archive");
    one->add_flag("--found", arguments->found)->group(""); // as grade passes it on, on stdin
    one->add_option("--out", arguments->one_out, "The result")->type_name("FILE")->required();
    one->add_option("--name", arguments->name, "The name in the result; by default, the file's");
    add_convert(command, arguments);
    merge->add_option("DIR", arguments->out, "Where --out was")->required();
    one->callback([&context, arguments] { grade_one(context, *arguments); });
    for (auto* any : {&command, merge})
        any->add_flag("--similarity", arguments->similarity, "Also list pairs of submissions that are alike");
    merge->callback([&context, arguments] {
        if (!grader::merge(context.paths, arguments->out, arguments->similarity))
            context.exit_code = grader::exit_not_recognised;
    });
    command.callback([&context, arguments, &command] {
        if (!command.get_subcommands().empty())
            return;
        if (arguments->submissions.empty() || arguments->out.empty())
            throw Problem{"grade needs submissions and --out", "./lab grade submissions/ --out graded"};
        grader::BatchOptions options;
        read(options, *arguments);
        options.out = arguments->out;
        int end = 0;
        if (!arguments->shard.empty() &&
            (std::sscanf(arguments->shard.c_str(), "%zu/%zu%n", &options.shard, &options.shards, &end) != 2 ||
             static_cast<size_t>(end) != arguments->shard.size() || options.shard < 1 ||
             options.shard > options.shards))
            throw Problem{"--shard is i/n with 1 ≤ i ≤ n", "--shard 1/4"};
        for (const auto& text : arguments->submissions)
            options.submissions.emplace_back(text);
        options.similarity = arguments->similarity;
        options.platform = arguments->platform;
        context.exit_code = grader::grade_all(context.paths, options);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "grade",
    .help = "For instructors: grade submissions, each program in a sandbox",
    .add = add,
};

} // namespace runner::grade_command
