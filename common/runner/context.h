// The context that the commands share.
#pragma once

#include <chrono>
#include <filesystem>
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

/// One line on a terminal's stderr that names the current activity, from one second on; cleared when it ends.
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
