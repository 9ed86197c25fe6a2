// The progress lines that the grader prints, one for each submission that it has graded.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

namespace grader {

/// "12 of 100  alice  43.5 of 60   2.3 s of processor time, 310 MiB   6.1 s   about 8 min left"
class Progress {
  public:
    explicit Progress(size_t all) : all_(all) {}
    void graded(const std::string& id, const std::string& outcome, double seconds);

  private:
    size_t all_, done_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// In short, from the result in this file.
std::string outcome(const std::filesystem::path& file);

} // namespace grader
