// The dependencies of a compiled file besides its source: the files that the compiler has read, and the places where it
// has looked, or would look now, for a file that did not exist. The list comes from the compiler itself, so it does not
// matter how a file was included: by a macro, a flag, another file or the compiler's own search path.
#pragma once

#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace compile {

namespace fs = std::filesystem;

/// Paths are relative to the source's folder if they are inside it, so that copies of a file can share the result.
struct Dependencies {
    std::map<std::string, std::string> own;     ///< the user's files -> hashes of their contents
    std::map<std::string, std::string> foreign; ///< headers of the system and the toolkit -> size, times and inode
    std::set<std::string> absent;               ///< places where no file was

    void join(const Dependencies& other);
    /// Is everything as it was, for a source in `folder`?
    bool unchanged(const fs::path& folder) const;
    /// The user's files, for a source in `folder`.
    std::set<fs::path> own_files(const fs::path& folder) const;

    std::string text() const;
    static Dependencies from(std::string_view text);
};

/// The dependencies of a file made from both. None if either is unknown.
std::optional<Dependencies> both(std::optional<Dependencies> one, const std::optional<Dependencies>& other);

/// One compilation, watched from before its beginning to its end.
class Watched {
  public:
    /// Call it before the compiler starts. `toolkit`: folders whose files are not the user's.
    Watched(fs::path source, std::vector<fs::path> toolkit);

    /// Reads the preprocessor's output, with line markers. Relative paths in it start at `directory`; files beside the
    /// output are the compiler's own.
    void preprocessed(const fs::path& output, const fs::path& directory);
    /// The compiler's search path, as search_folders() returns it.
    void searched(const std::vector<fs::path>& folders);
    /// A file that a linker has read.
    void read(const fs::path& file);
    /// A place where no file is. Nothing happens if there is one.
    void missed(const fs::path& file);
    /// The headers that a waiting compiler has read earlier.
    void read_before(const Dependencies& headers) { before_.join(headers); }

    /// None: not everything is known, so nothing that was made may be used again. A file was changed meanwhile, for
    /// example, or one comes in past the preprocessor (`.incbin`).
    std::optional<Dependencies> dependencies() const;

  private:
    bool is_foreign(const fs::path& file) const;
    std::string name(const fs::path& file) const;
    bool changed_meanwhile(const fs::path& file) const;
    bool add_state(Dependencies& found, const fs::path& file) const;
    std::optional<std::set<std::string>> asked() const;
    std::set<std::string> places() const;
    bool add_absent(Dependencies& found, const std::set<std::string>& asked) const;

    fs::path source_;
    std::string text_;
    std::vector<fs::path> toolkit_;
    timespec began_{};
    std::set<fs::path> files_;
    std::set<fs::path> missed_;
    std::set<std::string> folders_;
    Dependencies before_;
    bool complete_ = true;
};

/// The search path that a compiler prints with -v.
std::vector<fs::path> search_folders(std::string_view said);
/// Folders that it would search, too, if they existed.
std::vector<fs::path> ignored_folders(std::string_view said);

} // namespace compile
