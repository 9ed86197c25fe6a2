#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "base/files.h"
#include "judge/compile.h"

namespace judge {

using base::read_file;

using check::Target;
using process::Process;

namespace {

// What the PTX calls file `number`; empty: it is `source`.
std::string file_named(const std::string& ptx, const std::string& number, const fs::path& source) {
    const size_t at = ptx.find(fmt::format("\n\t.file\t{} \"", number));
    if (at == std::string::npos)
        return {};
    const size_t begin = ptx.find('"', at) + 1;
    const std::string file = ptx.substr(begin, ptx.find('"', begin) - begin);
    return file == source.string() || file.find('\\') != std::string::npos ? "" : file;
}

} // namespace

// nvcc -ptx does not look into inline assembly; ptxas does.
std::string Compiler::ptxas(const fs::path& ptx, const Target& target, const fs::path& source) const {
    fs::path ptxas = fs::path(chain_.nvcc).parent_path() / "ptxas";
    if (!fs::exists(ptxas))
        return {};
    Process process = start({ptxas.string(), "-arch=" + target.arch(), "-m64", ptx.string(), "-o", "/dev/null"}, ptx,
                            ptx.parent_path());
    if (process.finish() && process.status() == 0)
        return {};
    // "ptxas FILE.ptx, line 41; error : …": the line is the PTX's; name the source line that stands above it.
    std::string errors;
    const std::string text = read_file(ptx);
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    static const std::regex message(R"(line (\d+); (?:error|fatal)\s*: (.*))");
    std::istringstream output(process.output());
    for (std::string line; std::getline(output, line) && errors.size() < 2000;) {
        std::smatch match;
        if (!std::regex_search(line, match, message))
            continue;
        const size_t number = std::stoul(match[1]);
        std::string where = base::shown(source);
        for (size_t i = std::min(number, lines.size()); i-- > 0;) {
            std::smatch loc;
            static const std::regex location(R"(^\s*\.loc\s+(\d+) (\d+) )");
            if (std::regex_search(lines[i], loc, location)) {
                const std::string file = file_named(text, loc[1], source);
                where = fmt::format("{}:{}", file.empty() ? base::shown(source) : file, loc[2].str());
                break;
            }
        }
        const std::string code = number <= lines.size() ? lines[number - 1] : "";
        const size_t indent = std::min(code.find_first_not_of(" \t"), code.size());
        const std::string error = fmt::format("{}: error: {}\n    {}\n", where, match[2].str(), code.substr(indent));
        if (errors.find(error) == std::string::npos) // each copy of an inlined function is refused
            errors += error;
    }
    return errors.empty() ? process.output().substr(0, 2000) : "ptxas refuses the PTX:\n" + errors;
}

} // namespace judge
