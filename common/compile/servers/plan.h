// How nvcc would go about it: the commands that it runs one after the other.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace servers {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Some of the commands of an `nvcc -c` for one target.
struct Plan {
    Words device_preprocessor, host_preprocessor, cicc, cudafe, fatbinary, host_compiler;
};

/// Asks `nvcc`, a whole command line without an input, with --dryrun. Throws std::runtime_error if it says anything
/// that is not understood.
Plan plan(const Words& nvcc, const fs::path& source);

/// Those commands of an `nvcc -c`, whatever they are. Throws std::runtime_error if nvcc fails.
std::vector<Words> steps(const Words& nvcc, const fs::path& source);

/// The words of a command as the shell would see them.
Words words(const std::string& line);
/// Replaces the word behind `option`; false: it is not there.
bool replace(Words& command, const std::string& option, const std::string& value);
/// Removes `option` and the words that follow it.
void drop(Words& command, const std::string& option, size_t words);
/// Runs it in `folder`, with messages as ours. Returns the exit code; 128 + the signal.
int run(const Words& command, const fs::path& folder, const fs::path& output = {});

} // namespace servers
