// lab-runner: the program that the launcher ./lab starts.
#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/problem.h"
#include "base/text.h"
#include "process/process.h"
#include "runner/command.h"
#include "runner/language.h"
#include "runner/names.h"
#include "runner/terminal.h"
#include "runner/translation.h"

namespace {

using namespace runner;
using base::Problem, base::find_paths;

int fail(const Problem& problem) {
    fmt::print(stderr, "{}{}\n", wording("lab: error: "), translated(problem.what));
    if (!problem.next.empty())
        fmt::print(stderr, "     {}{}\n", wording("next: "), translated(problem.next));
    return problem.code;
}

// Before the help is made: in the language that is set.
void translate_help(CLI::App& app) {
    const auto other = [](const std::string& text) { // a text of several lines is one
        const std::string_view whole = wording(text);
        return whole == text ? translated(text) : std::string(whole);
    };
    app.description(other(app.get_description()));
    app.footer(other(app.get_footer()));
    for (CLI::Option* option : app.get_options())
        option->description(other(option->get_description()));
    for (CLI::App* command : app.get_subcommands({}))
        translate_help(*command);
}

// Where the description of an option or a command begins: behind the first gap after its name. 0: it has none.
size_t description_of(std::string_view line) {
    const size_t name = line.find_first_not_of(' ');
    const size_t gap = name == line.npos || !name ? line.npos : line.find("  ", name);
    return gap == line.npos ? 0 : std::min(line.find_first_not_of(' ', gap), line.size());
}

// CLI11 writes to std::cout, which speaks no ASCII, and knows of no terminal's width.
void show_help(std::string_view text, const Context& context) {
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        std::string heading;
        constexpr std::string_view usage = "Usage: ";
        if (line.starts_with(usage))
            line = heading = said("Usage: {}", line.substr(usage.size()));
        else if (!line.starts_with(' ') && line.ends_with(':'))
            line = heading = wording(line);
        size_t column = description_of(line);
        if (column + 24 > context.width)
            column = 0;
        std::string lines = base::wrapped(line.substr(column), std::string(column, ' '), context.width);
        std::fputs(lines.replace(0, column, line, 0, column).c_str(), stdout);
        if (line.empty())
            std::fputs("\n", stdout);
    }
}

int run(int argc, char** argv) {
    Context context{find_paths()};
    // CLI11 would let an option before -- swallow it.
    if (char** const end = std::find(argv, argv + argc, std::string_view("--")); end != argv + argc) {
        context.rest.assign(end + 1, argv + argc);
        argc = static_cast<int>(end - argv);
    }
    const char* no_colour = std::getenv("NO_COLOR");
    context.colour = isatty(1) && !(no_colour && *no_colour);
    context.width = width_of(1);
    CLI::App app("Asynchronous data movement on CUDA GPUs, without a GPU.", "./lab");
    app.set_help_flag("-h,--help", "Show this help");
    if (context.width && context.width < 70)
        app.get_formatter()->column_width(12);
    for (const Command* command : commands())
        command->add(*app.add_subcommand(std::string(command->name), std::string(command->help)), context);
    // Commands made after it would have it, too.
    app.footer(
        R"(Provided by the launcher: test (the project's own tests), docs (this documentation as a site), clean [--all], --version.
Name a lab by its number or by any unambiguous part of its name.
Exit codes: 0 success, or the lab passes; 1 the lab does not pass, or a guess is wrong; 2 usage or installation
error: fix it and try again; 5 a GPU is needed and there is none; 6 nothing wrong was found, but not everything was
judged; 128 + n ended by signal n.
./lab run has its own: ./lab run --help.)");
    // app.help() would show the help of the command that was given, which is this one.
    app.add_subcommand("help", "Show this help")->callback([&] {
        show_help(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal), context);
    });
    app.require_subcommand(0, 1);
    if (!language().empty())
        translate_help(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) {
            show_help(app.help(), context);
            return 0;
        }
        std::vector<std::string> commands{"test", "clean", "docs"};
        for (const auto* command : app.get_subcommands({}))
            commands.push_back(command->get_name());
        if (argc > 1 && argv[1][0] != '-' && std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
            const std::string near = nearest(argv[1], commands);
            return fail({fmt::format("there is no command '{}'", argv[1]),
                         near.empty() ? "./lab help lists the commands" : fmt::format("did you mean ./lab {}?", near)});
        }
        return fail(
            {problem.what(), argc > 1 && argv[1][0] != '-' ? fmt::format("./lab {} --help", argv[1]) : "./lab help"});
    }
    if (!context.rest.empty() && !app.got_subcommand("run"))
        return fail({"only ./lab run hands arguments after -- on", "./lab help"});
    if (app.get_subcommands().empty())
        show_status(context);
    return context.exit_code;
}

} // namespace

void runner::add_json(CLI::App& command, std::string& file, std::string_view what) {
    command.add_option("--json", file, fmt::format("{} as JSON: to a file, or to stdout", what))
        ->type_name("[FILE]")
        ->expected(0, 1)
        ->default_str("-")
        ->check([](const std::string& text) { // `check --json 01` means lab 01
            return text == "-" || text.find_first_of("./") != std::string::npos
                       ? std::string()
                       : fmt::format("would write to a file '{}': put --json last, or say --json ./{}", text, text);
        });
}

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    adapt_output();
    process::become_subreaper();
    try {
        return run(argc, argv);
    } catch (const base::Problem& problem) {
        return fail(problem);
    } catch (const std::exception& problem) {
        return fail({problem.what(), "if this makes no sense, ./lab doctor checks the installation", 2});
    }
}
