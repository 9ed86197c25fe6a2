// What `./lab run` writes for others to read: each format is a file of this folder with a function that makes the text.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/invocation.h"

namespace runner::formats {

namespace fs = std::filesystem;

std::string text(const Invocation& invocation);
std::string gcc(const Invocation& invocation);
std::string github(const Invocation& invocation);
std::string sarif(const Invocation& invocation);
std::string junit(const Invocation& invocation);

/// A program's report as the terminal shows it: findings, then other remarks, without the program's own output.
std::string report(const Invocation& invocation, const Program& program, bool colour, size_t width);
/// Remarks about the suppression file.
std::string remarks(const Invocation& invocation);

struct Format {
    std::string_view name;
    std::string (*write)(const Invocation& invocation);
    bool live;         ///< without a file, it is how findings are shown on stderr
    bool for_programs; ///< on stdout, nothing else may stand beside it
};
/// "sarif:FILE": the format, and where its text goes; empty: to stdout. Throws Problem.
struct Wanted {
    const Format* format;
    std::string file;
};
Wanted wanted(const std::string& argument);

/// The root for the paths in a report: the Git checkout that contains the working directory, or the working directory
/// itself.
class Root {
  public:
    Root();
    const fs::path& folder() const { return folder_; }
    /// Relative to the folder, with slashes; nullopt: it is not inside.
    std::optional<std::string> inside(const std::string& file) const;
    /// That, or the whole path.
    std::string shown(const std::string& file) const { return inside(file).value_or(whole(file)); }
    static std::string whole(const std::string& file);

  private:
    fs::path folder_;
};

/// Lines of source files, each file read once; bytes that are no UTF-8 replaced.
class Sources {
  public:
    /// Without its end; empty: there is no such line.
    std::string_view line(const std::string& file, uint32_t number);

  private:
    std::map<std::string, std::vector<std::string>> files_;
};

/// "read tile[3] (threads 0-31 of block 0)": what happened at a place.
std::string what(const sim::hazards::Place& place);
/// The message, and its remedy.
std::string why(const sim::hazards::Finding& finding);
/// "Also reported, and probably a consequence: …"; empty: there are none.
std::string consequences(const sim::hazards::FindingGroup& group, const Root& root);

} // namespace runner::formats
