// The description of a command. The library needs none of this: CLI11 takes long to compile.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runner/context.h"

namespace runner {

/// How the shell completes the words behind a command.
enum class Completion : uint8_t { files, labs, rules, words };

/// A command. Each is one file under commands/ that defines its record, and a line in the list of runner/meson.build:
/// `./lab help` (in the list's order), suggestions and completion come from there.
struct Command {
    std::string_view name, help;
    void (*add)(CLI::App& command, Context& context); ///< adds its options and its action
    Completion completion = Completion::files;
    std::string_view words{}; ///< for Completion::words
};
/// All of them, in the order of the list.
const std::vector<const Command*>& commands();

/// Defines the record of a command, in namespace NAME_command.
#define LAB_COMMAND                                                                                                    \
    extern const Command command;                                                                                      \
    const Command command

/// `./lab` alone: where you are, and what to do next.
void show_status(Context& context);

/// The description of LAB in a command's --help.
constexpr const char* which_lab = "A lab's number or an unambiguous part of its name";
constexpr const char* which_lab_or_next =
    "A lab's number or an unambiguous part of its name; by default, the next lab that you have not passed";

/// `--json [FILE]`; "-" in `file` means stdout. `what`: "The results".
void add_json(CLI::App& command, std::string& file, std::string_view what);

} // namespace runner
