#include <fmt/format.h>

#include "runner/command.h"
#include "sim/rules/rule.h"

#include "check/lab.h"

namespace runner::completion_command {
namespace {

std::string joined(const auto& items, auto name) {
    std::string text;
    for (const auto& item : items)
        text += (text.empty() ? "" : " ") + std::string(name(item));
    return text;
}

std::string names_of_commands() {
    return joined(commands(), [](const auto* one) { return one->name; }) + " help test clean docs";
}

// "        *:break | *:check) COMPREPLY=(…) ;;"
std::string choice(const std::string& which, const std::string& words) {
    if (which.empty())
        return {};
    return fmt::format(R"(        {}) COMPREPLY=($(compgen -W "{}" -- "$word")) ;;)", which, words) + "\n";
}

// The commands behind which a kind of name is completed, as a pattern of the shell.
std::string pattern(Completion completion) {
    std::string text;
    for (const Command* one : commands())
        if (one->completion == completion)
            text += (text.empty() ? "*:" : " | *:") + std::string(one->name);
    return text;
}

std::string choices() {
    std::string text = choice("1:*", names_of_commands());
    text += choice(pattern(Completion::labs), joined(check::labs(), [](const auto& lab) { return lab.name; }));
    text +=
        choice(pattern(Completion::rules), joined(sim::hazards::rules(), [](const auto* rule) { return rule->name; }));
    for (const Command* one : commands())
        if (one->completion == Completion::words)
            text += choice("*:" + std::string(one->name), std::string(one->words));
    return text;
}

void add(CLI::App& command, Context&) {
    auto shell = std::make_shared<std::string>();
    command.add_option("SHELL", *shell)->required()->check(CLI::IsMember({"bash", "zsh"}));
    command.callback([shell] {
        if (*shell == "zsh")
            fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
        fmt::print(R"(_asynclab() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
    case $COMP_CWORD:${{COMP_WORDS[1]}} in
{}        *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}}
complete -o default -F _asynclab ./lab lab
)",
                   choices());
    });
}

} // namespace

LAB_COMMAND = {
    .name = "completion",
    .help = "Print completion for your shell: eval \"$(./lab completion bash)\"",
    .add = add,
    .completion = Completion::words,
    .words = "bash zsh",
};

} // namespace runner::completion_command
