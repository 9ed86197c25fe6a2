// The user's progress: .asynclab/state.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/paths.h"
#include "check/lab.h"

namespace runner {

namespace fs = std::filesystem;

struct LabProgress {
    int points = 0, possible = 0;
    int hints = 0;       ///< stages seen
    bool passed = false; ///< at some time
    bool tried = false;
    bool shown = false; ///< of an exercise: what is wrong with it has been shown
};

class Progress {
  public:
    explicit Progress(const base::Paths& paths); ///< an unreadable file counts as none
    LabProgress& operator[](std::string_view lab) { return labs_[std::string(lab)]; }
    LabProgress get(std::string_view lab) const;
    void save() const; ///< best effort

  private:
    fs::path file_;
    std::map<std::string, LabProgress> labs_;
};

/// The first lab behind `after` (empty: the last that is passed) that is not passed; behind the last comes the first.
/// nullptr: all are passed.
const check::ListedLab* next_lab(const Progress& progress, std::string_view after = {});
/// The same among exercises of one lab: the first that is not passed behind `after`, then before it.
const check::ListedLab* next_exercise(const Progress& progress, const std::vector<const check::ListedLab*>& exercises,
                                      std::string_view after = {});

} // namespace runner
