// Compiled things under .asynclab/cache, by a hash of everything that they are made of. Bounded; the oldest go first.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace judge {

namespace fs = std::filesystem;

class Cache {
  public:
    explicit Cache(fs::path folder, uint64_t limit = uint64_t{256} << 20);
    /// The folder of a complete entry; marks it as used.
    std::optional<fs::path> find(const std::string& key) const;
    /// A new folder to make an entry in. It is lost unless it is kept.
    fs::path workspace() const;
    /// Makes `workspace` the entry `key`, and drops old entries when there is too much.
    fs::path keep(const fs::path& workspace, const std::string& key) const;

  private:
    void trim() const;
    fs::path folder_;
    uint64_t limit_; ///< bytes
};

/// The text of `source` and of the files that it includes from its own folder or from `folders`, for hashing. Toolkit
/// and system headers are not read: the compiler's version stands for them.
std::string with_includes(const fs::path& source, const std::vector<fs::path>& folders);
/// The same files by their names.
std::set<fs::path> own_files(const fs::path& source, const std::vector<fs::path>& folders);
/// The folders that flags of nvcc name with -I.
std::vector<fs::path> include_folders(const std::vector<std::string>& flags);

} // namespace judge
