#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/problem.h"
#include "runner/command.h"
#include "runner/hints.h"
#include "runner/language.h"
#include "runner/markdown.h"
#include "runner/names.h"
#include "runner/progress.h"
#include "runner/translation.h"

namespace runner::hint_command {

using base::Problem;

namespace {

void add(CLI::App& command, Context& context) {
    auto name = std::make_shared<std::string>();
    auto all = std::make_shared<bool>(), json = std::make_shared<bool>();
    command.add_option("LAB", *name, which_lab_or_next);
    command.add_flag("--all", *all, "All hints at once");
    command.add_flag("--json", *json, "As JSON");
    command.callback([&context, name, all, json] {
        Progress progress(context.paths);
        const auto* next = name->empty() ? next_lab(progress) : &find_lab(*name);
        if (!next)
            throw Problem{"you have passed all labs", "name the lab that you want a hint for"};
        const auto& lab = *next;
        const auto hints = read_hints(context.paths, lab.name, language());
        int& seen = progress[lab.name].hints;
        const int stages = static_cast<int>(hints.size());
        const int now = std::min(*all ? stages : seen + 1, stages);
        auto shown = nlohmann::json::array();
        for (int i = *all ? 0 : now - 1; i < now; ++i) {
            const auto& [heading, text] = hints[static_cast<size_t>(i)];
            shown.push_back({{"stage", i + 1}, {"heading", heading}, {"text", text}});
            if (!*json)
                fmt::print("{}{}\n{}", shown.size() > 1 ? "\n" : "", said("Hint {} of {}: {}", i + 1, stages, heading),
                           rendered(text, "  ", context.width));
        }
        if (*json)
            fmt::print("{}\n", nlohmann::json{{"lab", lab.name}, {"stages", stages}, {"hints", shown}}.dump(
                                   2, ' ', false, nlohmann::json::error_handler_t::replace));
        else if (seen >= stages || now == stages)
            fmt::print("{}\n",
                       said("That was the last one. The whole solution: ./lab solution {}", number_of(lab.name)));
        else
            fmt::print("{}\n", said("More: ./lab hint {}", number_of(lab.name)));
        seen = std::max(seen, now);
        progress.save();
    });
}

} // namespace

LAB_COMMAND = {
    .name = "hint",
    .help = "Show the next hint for a lab: a nudge first, nearly the code last",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::hint_command
