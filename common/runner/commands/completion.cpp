#include <fmt/format.h>

#include "runner/command.h"
#include "sim/rules/rule.h"

#include "check/lab.h"

namespace runner {
namespace {

std::string joined(const auto& items, auto name) {
    std::string text;
    for (const auto& item : items)
        text += (text.empty() ? "" : " ") + std::string(name(item));
    return text;
}

} // namespace

void add_completion(CLI::App& app, Context&) {
    auto shell = std::make_shared<std::string>();
    auto* command =
        app.add_subcommand("completion", "Print completion for your shell: eval \"$(./lab completion bash)\"");
    command->add_option("SHELL", *shell)->required()->check(CLI::IsMember({"bash", "zsh"}));
    command->callback([&app, shell] {
        const std::string commands =
            joined(app.get_subcommands({}), [](const auto* c) { return c->get_name(); }) + " test clean docs";
        const std::string labs = joined(check::labs(), [](const auto& lab) { return lab.name; });
        const std::string rules = joined(sim::hazards::rules(), [](const auto* rule) { return rule->name; });
        if (*shell == "zsh")
            fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
        fmt::print(R"(_asynclab() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
    case $COMP_CWORD:${{COMP_WORDS[1]}} in
        1:*) COMPREPLY=($(compgen -W "{}" -- "$word")) ;;
        *:break | *:check | *:sass | *:watch | *:trace | *:hint | *:reset | *:solution) COMPREPLY=($(compgen -W "{}" -- "$word")) ;;
        *:explain) COMPREPLY=($(compgen -W "{}" -- "$word")) ;;
        *:bench) COMPREPLY=($(compgen -W "device" -- "$word")) ;;
        *:completion) COMPREPLY=($(compgen -W "bash zsh" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}}
complete -o default -F _asynclab ./lab lab
)",
                   commands, labs, rules);
    });
}

} // namespace runner
