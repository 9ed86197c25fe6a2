#include "compile/dependencies/flags.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

#include "base/files.h"
#include "base/hash.h"

namespace compile {
namespace {

namespace fs = std::filesystem;

// Flags hold names of files as whole words, behind "=" and in lists with commas; "@file" is a file with flags.
void add_contents(const std::string& flag, std::set<fs::path>& seen, std::string& out) {
    const auto look = [&](std::string_view word) {
        std::error_code problem;
        const fs::path file = fs::absolute(fs::path(word), problem);
        if (word.empty() || word.size() > 4096 || !fs::is_regular_file(file, problem) || !seen.insert(file).second)
            return;
        const std::string text = base::read_file(file);
        out += base::Hash().add(file.string()).add(text).text();
        if (text.size() > (64 << 10))
            return; // no options file
        std::istringstream words(text);
        for (std::string next; words >> next;)
            add_contents(next, seen, out);
    };
    look(flag);
    for (size_t at = 0; at < flag.size();) {
        const size_t end = std::min(flag.find_first_of(",=@", at), flag.size());
        look(std::string_view(flag).substr(at, end - at));
        at = end + 1;
    }
}

} // namespace

std::string environment_of_compilers() {
    std::string text;
    for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS",
                             "NVCC_CCBIN", "GCC_EXEC_PREFIX", "COMPILER_PATH"})
        if (const char* value = std::getenv(name); value && *value)
            text += std::string(name) + "=" + value + "\n";
    std::error_code problem;
    if (fs::exists("cuda_runtime.h", problem)) // nvcc includes it in front of all, from the working directory if it can
        text += "cuda_runtime.h in " + fs::current_path().string() + "\n";
    return text;
}

std::string contents_named(const std::vector<std::string>& flags) {
    std::set<fs::path> seen;
    std::string out;
    for (const auto& flag : flags)
        add_contents(flag, seen, out);
    return out;
}

bool leave_a_trace(const std::vector<std::string>& flags) {
    return std::ranges::none_of(flags, [](const std::string& flag) {
        for (const char* word : {"imacros", "keep", "save-temps", "fplugin"})
            if (flag.find(word) != flag.npos)
                return true;
        return flag.starts_with("-M") || flag.find('@') != flag.npos;
    });
}

} // namespace compile
