// Control groups (cgroup v2): Linux counts what all processes of a group use together, however they came into being,
// and stops the group at its limits. Not every machine lets us make some; then nothing but the counting is missing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace isolation {

namespace fs = std::filesystem;

struct GroupLimits {
    uint64_t memory_bytes = uint64_t{8} << 30; ///< more than a submission at its own limits needs
    uint64_t processes = 1024;                 ///< and threads
};

/// The resources that a group has used so far.
struct Usage {
    double processor_seconds = 0;
    std::optional<uint64_t> peak_bytes; ///< not every kernel counts it
};
std::optional<Usage> usage(const fs::path& group);

/// A folder for groups, for as long as this lives. It is made in our own group if that is ours alone (systemd-run
/// --scope, a container), else at the top if we are root.
class ControlGroups {
  public:
    ControlGroups();
    ~ControlGroups();
    ControlGroups(const ControlGroups&) = delete;

    /// Empty: they work. Otherwise why not, in a few words.
    const std::string& why_not() const { return why_not_; }
    /// "processor time", "peak memory", "limits: 8 GiB, 1024 processes".
    std::vector<std::string> layers() const;
    /// A new group, empty.
    fs::path add(const std::string& name, const GroupLimits& limits = {});
    /// Ends whatever is in the group, and removes it.
    static void end(const fs::path& group);

  private:
    bool open(const fs::path& parent, const std::string& name);
    fs::path ours_;     ///< where this process was, if it had to make room
    fs::path folder_;   ///< in which groups are made
    bool made_ = false; ///< by us
    bool memory_ = false, peak_ = false, processes_ = false;
    std::string why_not_;
};

/// This process, and all that it will start, belongs to the group from now on. False: it stays where it was.
bool join_group(const fs::path& group);

} // namespace isolation
