#include "compile/ways/search_path.h"

#include <algorithm>
#include <optional>

#include "base/files.h"
#include "base/hash.h"
#include "base/problem.h"
#include "compile/dependencies/dependencies.h"
#include "compile/servers/plan.h"
#include "process/process.h"

namespace compile {
namespace {

// What the preprocessor says with -v. Empty: nothing that we understand.
std::string said_by_preprocessor(const std::vector<std::string>& nvcc, const fs::path& source) try {
    for (servers::Words command : servers::steps(nvcc, source)) {
        if (std::ranges::find(command, "-E") == command.end())
            continue;
        while (std::ranges::find(command, "-include") != command.end())
            servers::drop(command, "-include", 2);
        servers::drop(command, "-o", 2);
        const auto input =
            std::ranges::find_if(command, [&](const auto& word) { return word.ends_with(source.filename().string()); });
        if (input == command.end())
            return {};
        *input = "/dev/null";
        command.insert(command.end(), {"-v", "-o", "/dev/null"});
        process::Process process({.arguments = command});
        return process.finish() && process.status() == 0 ? process.output() : "";
    }
    return {};
} catch (const std::exception&) {
    return {};
}

std::optional<std::string> read(const fs::path& file) try {
    return base::read_file(file);
} catch (const base::Problem&) {
    return {};
}

} // namespace

std::vector<fs::path> search_path(const std::vector<std::string>& nvcc, const std::string& known,
                                  const fs::path& source, const fs::path& cache) {
    base::Hash hash;
    hash.add(known);
    for (const auto& word : nvcc)
        hash.add(word);
    const fs::path kept = cache / ("search-" + hash.text());
    auto said = read(kept);
    const auto appeared = [](const fs::path& folder) {
        std::error_code problem;
        return fs::exists(folder, problem);
    };
    if (!said || std::ranges::any_of(ignored_folders(*said), appeared)) {
        said = said_by_preprocessor(nvcc, source);
        if (said->empty())
            return {};
        base::write_file(kept, *said);
    }
    auto folders = search_folders(*said);
    folders.push_back(source.parent_path()); // for #include "…"
    return folders;
}

} // namespace compile
