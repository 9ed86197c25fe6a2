// What compilers say, for people.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "process/process.h"

namespace compile {

namespace fs = std::filesystem;

/// Called repeatedly with the current activity, in a few words.
using Ticker = std::function<void(std::string_view)>;

/// How a compiler has ended.
struct Ended {
    std::string errors;       ///< errors in the source; empty: none
    bool out_of_time = false; ///< it, or a compiler that it had started, was ended because its time was up
};
/// Waits for it. `what`: what it compiles, for the ticker.
Ended finish(process::Process& process, const fs::path& source, const Ticker& ticker, const std::string& what);

/// nvcc's messages: with paths as the user knows them, without errors that follow from the first ones.
std::string shorten_errors(std::string_view text, const fs::path& source);

/// A linker's: nvcc's own files, whose names differ each time, are the user's source.
std::string without_own_files(std::string_view text);

} // namespace compile
