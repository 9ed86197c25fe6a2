// Constants that are each student's own, where a course wants that: the same draw as the grader's.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "check/constant.h"
#include "runner/command.h"
#include "runner/names.h"

namespace runner::variant_command {

using base::Problem, base::read_file, base::shown, base::write_file;
namespace {

struct VariantArguments {
    std::string lab, student;
    bool write = false, json = false;
};

std::vector<const check::ListedLab*> chosen(const std::string& name) {
    std::vector<const check::ListedLab*> labs;
    for (const auto& lab : check::labs())
        if (!check::constants_of(lab.name).empty() && (name.empty() || find_whole_lab(name).name == lab.name))
            labs.push_back(&lab);
    if (labs.empty())
        throw Problem{fmt::format("lab {} has no constants of a student's own", find_whole_lab(name).name),
                      "./lab variant lists the labs that have"};
    return labs;
}

// Answers what to say.
std::string put_in(const Context& context, const check::ListedLab& lab, const check::Constants& values) {
    const fs::path file = context.paths.shared() ? context.paths.own_copy(lab.name) : context.paths.source(lab.name);
    if (!fs::exists(file))
        throw Problem{"there is no file " + shown(file), fmt::format("./lab reset {}", number_of(lab.name))};
    const std::string before = read_file(file), after = check::with_constants(before, values);
    if (check::constants_in(after, values) != values)
        throw Problem{shown(file) + " does not define each of them as a number",
                      "write the line yourself, like: constexpr int " + check::text(values) + ";"};
    if (after == before)
        return shown(file) + " has them already";
    write_file(file, after);
    return shown(file) + " has them now";
}

void run(const Context& context, const VariantArguments& arguments) {
    if (arguments.write && (arguments.student.empty() || arguments.lab.empty()))
        throw Problem{"--write needs a lab and a student", "./lab variant 01 --student ID --write"};
    nlohmann::json all = nlohmann::json::array();
    for (const auto* lab : chosen(arguments.lab)) {
        nlohmann::json allowed = nlohmann::json::object();
        std::string text;
        const auto mine = check::constants_for(lab->name, arguments.student);
        for (const auto* one : check::constants_of(lab->name)) {
            allowed[std::string(one->name())] = one->values();
            const std::string values = fmt::format("one of {}", fmt::join(one->values(), ", "));
            text += arguments.student.empty() ? fmt::format("{:<26} {:<8} {}\n", lab->name, one->name(), values)
                                              : fmt::format("{:<26} {:<8} = {:<6} ({})\n", lab->name, one->name(),
                                                            mine.at(std::string(one->name())), values);
        }
        if (arguments.write)
            text += put_in(context, *lab, mine) + "\n";
        all.push_back({{"lab", lab->name}, {"allowed", allowed}});
        if (!arguments.student.empty())
            all.back()["constants"] = mine;
        if (!arguments.json)
            fmt::print("{}", text);
    }
    if (arguments.json)
        fmt::print("{}\n", all.dump(2));
    else if (arguments.student.empty())
        fmt::print("next: ./lab variant {} --student ID says which ones are yours\n",
                   arguments.lab.empty() ? "LAB" : arguments.lab);
    else if (!arguments.lab.empty())
        fmt::print("next: {}./lab check {} --student {}\n",
                   arguments.write ? "" : "write them into your kernel.cu (--write does), then ", arguments.lab,
                   arguments.student);
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<VariantArguments>();
    command.add_option("LAB", arguments->lab, which_lab);
    command
        .add_option("--student", arguments->student,
                    "Who: the id by which your course knows you; by default, $LAB_STUDENT")
        ->envname("LAB_STUDENT");
    command.add_flag("--write", arguments->write, "Also write the values into your kernel.cu");
    command.add_flag("--json", arguments->json, "As JSON");
    command.callback([&context, arguments] { run(context, *arguments); });
}

} // namespace

LAB_COMMAND = {
    .name = "variant",
    .help = "Which of a lab's constants are yours alone, in courses where they differ",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::variant_command
