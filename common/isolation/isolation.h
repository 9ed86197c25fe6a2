// Boxes for untrusted programs: a student's program, and the compiler at work on a student's file.
//
// Four levels, each with what the weaker ones have:
//   limits      memory, output, time, file size, number of processes
//   landlock    + Landlock (files, TCP) and seccomp (sockets, processes, signals, mounts, …); needs no rights
//   user        + a user of its own that exists for this run only; needs root
//   bubblewrap  + namespaces: the program sees only the files that it needs; needs root or user namespaces
// A grader that is root never lets a student's program be root: every level but that of `./lab check` switches users.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <linux/filter.h>
#include <sys/types.h>

namespace isolation {

namespace fs = std::filesystem;

enum class Level : uint8_t { limits, landlock, user, bubblewrap };
constexpr Level levels[] = {Level::limits, Level::landlock, Level::user, Level::bubblewrap};
std::string_view name(Level level);
std::optional<Level> level_named(std::string_view name);

struct Box {
    Level level = Level::limits;
    uid_t user = 0;                   ///< what root becomes inside; 0: stays what we are
    bool compiler = false;            ///< may start programs and write files; else a student's program
    std::vector<fs::path> readable{}; ///< besides the system's libraries (and compilers); "/": everything
    std::vector<fs::path> writable{};
    bool own_environment = false; ///< ours is none of its business
};

/// Empty: the level works here, as tried out once. Otherwise why not, in a few words.
const std::string& why_not(Level level);
/// The strongest that works.
Level strongest();
/// The attacks that the level does not stop, for people; one line each.
std::vector<std::string> not_stopped(Level level);
/// For results.
struct Description {
    std::string level;
    std::vector<std::string> layers, not_stopped;
};
Description describe(Level level);

/// A user that no process has, another one each time; 0 if we are not root.
uid_t throwaway_user();
/// Kills whatever runs as that user.
void end_all_of(uid_t user);

constexpr int filter_descriptor = 9; ///< where bwrap finds its filter
/// How to start `arguments` inside of a box.
struct Entry {
    std::vector<std::string> arguments;     ///< with bwrap in front where it is used
    std::vector<sock_filter> calls{};       ///< what seccomp loads; empty: nothing, or bwrap does it
    int descriptor = -1, descriptor_at = 0; ///< a descriptor for the child, and its number there; the parent closes it
};
Entry entry(const Box& box, std::vector<std::string> arguments, const fs::path& directory);
/// In the child, right before exec; system calls only, as its memory may be its parent's. False: it could not be locked
/// in, and must not go on.
bool enter(const Box& box, Entry& entry);

} // namespace isolation
