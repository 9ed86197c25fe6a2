// The description of launches in a file of the user's: TOML, or the JSON that the playground takes.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "launch/part.h"

namespace runner {

class LaunchFile {
  public:
    /// Throws base::Problem.
    explicit LaunchFile(const std::filesystem::path& file);
    const nlohmann::json& description() const { return description_; }
    /// A file that the description names: beside it.
    std::filesystem::path beside(const std::string& name) const;
    /// The mistake with the file's name and line.
    base::Problem problem(const launch::Mistake& mistake) const;

  private:
    std::filesystem::path file_;
    nlohmann::json description_;
    std::map<std::string, uint32_t> lines_; ///< of TOML: where each place is
};

} // namespace runner
