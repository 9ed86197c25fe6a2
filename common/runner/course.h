// The steps of the course in their order: of each lab the chapter, the drills, the lab itself, the questions, the
// hunts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/paths.h"
#include "runner/progress.h"

namespace runner {

struct Step {
    enum class Kind : uint8_t { chapter, drill, lab, quiz, hunt };
    Kind kind = Kind::chapter;
    const check::ListedLab* lab = nullptr; ///< or the exercise
    std::string id() const;                ///< "05", "05.2", "05.h1", "05 chapter", "05 quiz"
    bool has_file() const { return kind != Kind::chapter && kind != Kind::quiz; }
};
std::vector<Step> course(const base::Paths& paths);

/// Where somebody is in the course: .asynclab/learn.json.
class Bookmark {
  public:
    explicit Bookmark(const base::Paths& paths); ///< an unreadable file counts as none
    std::string at;                              ///< Step::id; empty: not begun
    std::set<std::string> done; ///< chapters that have been read, and questions that have been answered
    void save() const;          ///< best effort

  private:
    fs::path file_;
};

bool is_done(const Step& step, const Bookmark& bookmark, const Progress& progress);
/// The step with the bookmark; if there is none, the first that is not done.
size_t place_in(const std::vector<Step>& steps, const Bookmark& bookmark, const Progress& progress);

} // namespace runner
