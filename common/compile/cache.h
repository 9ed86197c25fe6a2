// Compiled files under .asynclab/cache: keyed by a hash of everything known before the compiler runs, with one folder
// below for each state of the files that the compiler has read. The size is bounded; the oldest entries are removed
// first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compile/dependencies/dependencies.h"

namespace compile {

namespace fs = std::filesystem;

class Cache {
  public:
    explicit Cache(fs::path folder, uint64_t limit = uint64_t{256} << 20);
    /// An entry whose dependencies are as they were, for a source in `folder`; marks it as used.
    struct Entry {
        fs::path path;
        Dependencies dependencies;
    };
    std::optional<Entry> find(const std::string& key, const fs::path& folder) const;
    /// A new folder to make an entry in. It is lost unless it is kept.
    fs::path workspace() const;
    const fs::path& folder() const { return folder_; }
    /// Makes `workspace` an entry of `key`, and drops old entries when there is too much. No dependencies: they are not
    /// known, and it is never found again.
    fs::path keep(const fs::path& workspace, const std::string& key,
                  const std::optional<Dependencies>& dependencies) const;

  private:
    void trim() const;
    fs::path folder_;
    uint64_t limit_; ///< bytes
};

} // namespace compile
