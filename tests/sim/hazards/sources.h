// The programs of this folder: each .cu of wrong/ and clean/, and its neighbours, stored at its end as the lines that
// differ.
//
//     tile[i] = i; // other
//     out[i] = tile[63 - i]; // error: read-after-write-race
//
//     /*
//     == clean/barrier_between
//     What this program is about.
//
//      tile[i] = i;
//     +__syncthreads();
//     */
//
// A comment at the end of a line, or alone below it, lists what is reported there: `error: RULE`, `warning: RULE` or
// `note: RULE` at the line that a report names first, `other` at each further line that it shows. Of several reports
// each has its number: `error 2: RULE`, `other 2`. In the comment at the top, `says: TEXT` is a part of a report's
// text, and `expect: RULE` a rule whose report is wherever it is; `orders: every` asks that the protocol check
// has explored every order. A neighbour differs from the program without these
// marks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/diagnosis/severity.h"

struct Source {
    std::string name; ///< "clean/barrier_between"
    std::filesystem::path file;
    std::string text;
    bool stored; ///< whole, not as the lines that differ: the file is in this folder
    bool chosen; ///< is_chosen, or the file that it is stored in
};

/// All programs of `folder`, by name. `made`: the folder where neighbours get their files. Throws std::runtime_error.
std::vector<Source> sources(const std::filesystem::path& folder, const std::filesystem::path& made);

/// With ASYNCLAB_ONLY=PART in the environment: only those whose name or text contains PART, and their neighbours.
bool is_chosen(std::string_view name, std::string_view text);

/// Is it to be compiled for compute_100a, not for compute_90a? Such a program says so in a comment.
bool needs_blackwell(std::string_view text);

/// "error: read-after-write-race, line 15; also lines 8 12"
std::string place_of(sim::hazards::Severity severity, std::string_view rule, unsigned line,
                     const std::vector<unsigned>& others);
/// What the marks of a program say, in the order of their numbers.
std::vector<std::string> expected_places(std::string_view text);
/// What follows `// KEY: ` in the lines at the top of a program.
std::vector<std::string> said(std::string_view text, std::string_view key);
