#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "base/files.h"
#include "judge/compile.h"

namespace judge {

using base::read_file;

using check::Target;
using process::Process;

// nvcc -ptx does not look into inline assembly; ptxas does.
std::string Compiler::ptxas(const fs::path& ptx, const Target& target) const {
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
        std::string where = "inline PTX";
        for (size_t i = std::min(number, lines.size()); i-- > 0;) {
            std::smatch loc;
            static const std::regex location(R"(^\s*\.loc\s+\d+ (\d+) )");
            if (std::regex_search(lines[i], loc, location)) {
                where = fmt::format("line {}", loc[1].str());
                break;
            }
        }
        const std::string code = number <= lines.size() ? lines[number - 1] : "";
        const size_t indent = std::min(code.find_first_not_of(" \t"), code.size());
        errors += fmt::format("{}: error: {}\n    {}\n", where, match[2].str(), code.substr(indent));
    }
    return errors.empty() ? process.output().substr(0, 2000) : "ptxas refuses the PTX:\n" + errors;
}

} // namespace judge
