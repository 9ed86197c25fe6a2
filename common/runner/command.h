// What the commands share. Each command is one file under commands/ that adds itself to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/paths.h"
#include "runner/terminal.h"

namespace runner {

struct Context {
    Paths paths;
    int exit_code = 0;
    std::vector<std::string> rest{}; ///< what follows -- on the command line
    bool colour = false;             ///< stdout is a terminal and NO_COLOR is not set
    size_t width = 0;                ///< of stdout's terminal; 0: it is none
    Look look() const { return {colour, width}; }
};

// One for each file under commands/, in the order in which `./lab help` shows them.
void add_list(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_watch(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_trace(CLI::App& app, Context& context);
void add_hint(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_break(CLI::App& app, Context& context);
void add_solution(CLI::App& app, Context& context);
void add_reset(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_grade(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_sass(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);
/// `./lab` alone: where you are, and what is next.
void show_status(Context& context);

/// What a command's --help says of its LAB.
constexpr const char* which_lab = "A lab's number, or any part of its name that no other has";
constexpr const char* which_lab_or_next =
    "A lab's number, or any part of its name that no other has; without one, the next that has not passed";

/// `--json [FILE]`; "-" in `file` means stdout. `what`: "The results".
void add_json(CLI::App& command, std::string& file, std::string_view what);

/// One line on a terminal's stderr that says what is going on, from one second on; gone when it ends.
class StatusLine {
  public:
    explicit StatusLine(std::string about = {});
    ~StatusLine();
    void show(std::string_view what);
    void about(std::string text) { about_ = std::move(text); }
    void clear();

  private:
    std::string about_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), shown_at_ = began_;
    bool terminal_;
    std::string shown_;
};

} // namespace runner
