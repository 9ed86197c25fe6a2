// Notices when a file is saved.
#pragma once

#include <filesystem>

namespace runner {

namespace fs = std::filesystem;

class SavedFile {
  public:
    SavedFile() = default;
    ~SavedFile();
    SavedFile(const SavedFile&) = delete;
    /// From now on this file. Throws Problem.
    void look_at(const fs::path& file);
    /// To be polled; -1: there is no file.
    int descriptor() const { return inotify_; }
    /// Whether the file has been saved since it was asked for the last time, and is there.
    bool saved();

  private:
    fs::path file_;
    int inotify_ = -1;
};

} // namespace runner
