// Taking single synchronising instructions out of a program, to see whether they are missed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace judge {

/// A wait, commit, arrival, barrier or fence in a PTX text.
struct Removable {
    std::string mnemonic, file; ///< the source file as nvcc was given it
    uint32_t line = 0;          ///< in it; 0: unknown
    size_t begin = 0, end = 0;  ///< in the PTX text, with its guard and its semicolon
    std::string instead;        ///< the replacement: nothing, or code that lets the program go on
};

/// In the order of the text. Throws sim::ptx::ParseError.
std::vector<Removable> removables(std::string_view ptx);

/// The text without some of them.
std::string without(std::string_view ptx, std::vector<Removable> what);

/// A PTX file without those of its removables that have these indices; it goes with this object.
class Altered {
  public:
    Altered(const std::filesystem::path& ptx, const std::vector<size_t>& indices);
    ~Altered();
    Altered(const Altered&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

} // namespace judge
