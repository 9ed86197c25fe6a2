// What the commands share, and what a command is.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "runner/terminal.h"

namespace runner {

namespace fs = std::filesystem;

struct Context {
    base::Paths paths;
    int exit_code = 0;
    std::vector<std::string> rest{}; ///< what follows -- on the command line
    bool colour = false;             ///< stdout is a terminal and NO_COLOR is not set
    size_t width = 0;                ///< of stdout's terminal; 0: it is none
    Look look() const { return {colour, width}; }
};

/// Exit code when nothing wrong was found, but not everything was judged.
inline constexpr int code_incomplete = 6;

/// What the shell completes behind a command.
enum class Completion : uint8_t { files, labs, rules, words };

/// A command. Each is one file under commands/ that defines its record, and a line in the list of runner/meson.build:
/// `./lab help` (in the list's order), suggestions and completion come from there.
struct Command {
    std::string_view name, help;
    void (*add)(CLI::App& command, Context& context); ///< its options, and what it does
    Completion completion = Completion::files;
    std::string_view words{}; ///< for Completion::words
};
/// All of them, in the order of the list.
const std::vector<const Command*>& commands();

/// Defines the record of a command, in namespace NAME_command.
#define LAB_COMMAND                                                                                                    \
    extern const Command command;                                                                                      \
    const Command command

/// `./lab` alone: where you are, and what is next.
void show_status(Context& context);

/// What a command's --help says of its LAB.
constexpr const char* which_lab = "A lab's number or an unambiguous part of its name";
constexpr const char* which_lab_or_next =
    "A lab's number or an unambiguous part of its name; by default, the next lab that you have not passed";

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
