// Findings that the user has decided to live with: `./lab run --suppress FILE`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/finding.h"

namespace runner {

namespace fs = std::filesystem;

/// One [[suppress]] of the file.
struct Suppression {
    const sim::hazards::Rule* rule = nullptr;
    std::string file;       ///< a pattern, relative to the folder of the suppression file
    std::string function{}; ///< a kernel, or a function that it calls; empty: any
    std::string reason;
    std::string expires{}; ///< "2026-12-31", the last day on which it applies; empty: always
    uint32_t line = 0;     ///< where it is written
    bool expired = false;
    bool concerned = false; ///< one of the programs has a file that the pattern matches, or nothing ever can
    bool matched = false;   ///< a finding
};

/// A problem of the file itself, apart from the findings.
struct SuppressionRemark {
    bool unused; ///< else: expired
    uint32_t line;
    std::string text;
};

class Suppressions {
  public:
    /// Throws Problem that names the line.
    explicit Suppressions(const fs::path& file);

    const fs::path& file() const { return file_; }
    const std::vector<Suppression>& entries() const { return entries_; }

    /// The entry that suppresses the finding; nullptr: none, or one that has expired. `program`: replaces the file of a
    /// finding that has none.
    const Suppression* find(const sim::hazards::Finding& finding, const fs::path& program);
    /// These are the files of one of the programs.
    void concerns(const std::set<fs::path>& files);
    /// Entries that have matched a finding and have expired, and, if `all_judged`, those that have matched none.
    std::vector<SuppressionRemark> remarks(bool all_judged) const;

  private:
    bool covers(const Suppression& entry, const fs::path& file) const;

    fs::path file_, folder_;
    std::vector<Suppression> entries_;
};

/// `*` and `?` stay within a folder, `**` does not. A pattern without a slash is about the file's name alone.
bool matches_path(std::string_view pattern, std::string_view path);

} // namespace runner
