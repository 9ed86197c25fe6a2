#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "runner/command.h"
#include "runner/language.h"
#include "runner/names.h"
#include "runner/translation.h"
#include "sim/rules/rule.h"

namespace runner::explain_command {

using base::Problem;
namespace {

void print_indented(std::string_view code) {
    while (!code.empty()) {
        const size_t end = std::min(code.find('\n'), code.size());
        fmt::print("    {}\n", code.substr(0, end));
        code.remove_prefix(std::min(end + 1, code.size()));
    }
}

using sim::hazards::Rule;

const Rule& named(std::string_view name) {
    using namespace sim::hazards;
    const Rule* rule = find_rule(name);
    if (!rule) {
        std::vector<std::string> names;
        for (const Rule* known : rules())
            names.emplace_back(known->name);
        const std::string near = nearest(name, names);
        throw Problem{fmt::format("there is no rule '{}'", name),
                      near.empty() ? "./lab explain lists all rules" : fmt::format("did you mean {}?", near)};
    }
    return *rule;
}

/// The texts of a rule, in the language that is set.
struct Texts {
    std::string title, why, remedy;
};

class Explanations {
  public:
    explicit Explanations(const base::Paths& paths) {
        const fs::path file = paths.root / "common/sim/rules" / fmt::format("{}.toml", language());
        if (!language().empty() && fs::exists(file))
            translated_ = toml::parse(base::read_file(file), file.string());
    }
    Texts operator()(const Rule& rule) const {
        const auto entry = translated_[rule.name];
        return {entry["title"].value_or(std::string(rule.title)), entry["why"].value_or(rule.why.text()),
                entry["remedy"].value_or(rule.remedy.text())};
    }

  private:
    toml::table translated_;
};

nlohmann::json to_json(const Rule& rule, const Texts& texts) {
    return {{"name", rule.name},   {"severity", name(rule.severity)}, {"title", texts.title},
            {"why", texts.why},    {"remedy", texts.remedy},          {"manual", rule.manual},
            {"wrong", rule.wrong}, {"right", rule.right()},           {"changes", rule.changes.substr(1)}};
}

void explain(const Rule* rule, const Texts& texts, const Context& context) {
    const char* bold = context.colour ? "\033[1m" : "";
    const char* end = context.colour ? "\033[0m" : "";
    fmt::print("{}{}{} ({})\n{}\n", bold, rule->name, end, wording(name(rule->severity)), texts.title);
    if (!texts.why.empty())
        fmt::print("\n{}", base::wrapped(texts.why, "", context.width));
    if (!texts.remedy.empty())
        fmt::print("\n{}{}{}\n{}", bold, wording("Remedy:"), end, base::wrapped(texts.remedy, "  ", context.width));
    fmt::print("\n{}{}{}\n", bold, wording("Wrong:"), end);
    print_indented(rule->wrong);
    fmt::print("\n{}{}{}\n", bold, wording("Right, with these lines changed:"), end);
    print_indented(rule->changes.substr(1));
    if (!rule->manual.empty())
        fmt::print("\n{}\n", rule->manual);
}

void add(CLI::App& command, Context& context) {
    auto name = std::make_shared<std::string>();
    command.add_option("RULE", *name, "The rule's name, as in the report; by default, list all rules");
    auto json = std::make_shared<bool>();
    command.add_flag("--json", *json, "As JSON: the rule, or all of them");
    command.callback([&context, name, json] {
        const Explanations texts(context.paths);
        if (*json) {
            auto all = nlohmann::json::array();
            for (const auto* rule : sim::hazards::rules())
                all.push_back(to_json(*rule, texts(*rule)));
            fmt::print("{}\n", (name->empty() ? all : to_json(named(*name), texts(named(*name)))).dump(2));
            return;
        }
        if (!name->empty())
            return explain(&named(*name), texts(named(*name)), context);
        const bool narrow = context.width && context.width < 80;
        for (const auto* rule : sim::hazards::rules())
            if (narrow)
                fmt::print("{}\n{}", rule->name, base::wrapped(texts(*rule).title, "  ", context.width));
            else
                fmt::print("{:<32} {}\n", rule->name, texts(*rule).title);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "explain",
    .help = "Explain a hazard: why it is wrong, what fixes it, an example",
    .add = add,
    .completion = Completion::rules,
};

} // namespace runner::explain_command
