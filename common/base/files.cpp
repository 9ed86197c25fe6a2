#include "base/files.h"

#include <cerrno>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/problem.h"

namespace base {

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::error_code problem;
    if (!in || fs::is_directory(path, problem))
        throw Problem{"cannot read " + shown(path), "check that it exists and that you may read it"};
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

void write_file(const fs::path& path, std::string_view text) {
    std::error_code problem;
    const fs::path part = path.string() + "." + std::to_string(getpid()) + ".part";
    if (path.has_parent_path())
        fs::create_directories(path.parent_path(), problem);
    if (!problem) {
        errno = 0;
        std::ofstream out(part, std::ios::binary);
        out << text;
        out.close();
        if (!out)
            problem.assign(errno, std::generic_category());
        else
            fs::rename(part, path, problem);
    }
    if (problem) {
        const std::string why = problem.message();
        fs::remove(part, problem);
        throw Problem{fmt::format("cannot write {}: {}", shown(path), why), "check the space and the rights there"};
    }
}

std::string shown(const fs::path& path) {
    std::error_code problem;
    const fs::path here = fs::current_path(problem);
    const fs::path relative = fs::absolute(path, problem).lexically_normal().lexically_relative(here);
    // From / nothing but the first slash would go.
    return relative.empty() || *relative.begin() == ".." || here == here.root_path() ? path.string()
                                                                                     : relative.string();
}

} // namespace base
