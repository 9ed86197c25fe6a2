#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "compile/tools.h"

namespace compile {

using base::read_file;

using process::Process;

namespace {

// The PTX's name for file `number`; empty: it is `source`.
std::string file_named(const std::string& ptx, std::string_view number, const fs::path& source) {
    const size_t at = ptx.find(fmt::format("\n\t.file\t{} \"", number));
    if (at == std::string::npos)
        return {};
    const size_t begin = ptx.find('"', at) + 1;
    const std::string file = ptx.substr(begin, ptx.find('"', begin) - begin);
    return file == source.string() || file.find('\\') != std::string::npos ? "" : file;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// Takes the digits at the beginning of `text`, nine of them at most; empty: there are none.
std::string_view take_number(std::string_view& text) {
    const std::string_view digits = text.substr(0, std::min<size_t>(9, text.find_first_not_of("0123456789")));
    text.remove_prefix(digits.size());
    return digits;
}

struct Refusal {
    size_t line = 0;
    std::string_view why;
};

// "ptxas FILE.ptx, line 41; error   : …"
std::optional<Refusal> refusal_in(std::string_view text) {
    for (const std::string_view word : {"; error", "; fatal"}) {
        const size_t end = text.find(word), begin = text.rfind("line ", end);
        if (end == text.npos || begin == text.npos)
            continue;
        std::string_view number = text.substr(begin + 5, end - begin - 5), why = text.substr(end + word.size());
        const std::string_view digits = take_number(number);
        why.remove_prefix(std::min(why.find_first_not_of(" \t"), why.size()));
        if (!digits.empty() && number.empty() && why.starts_with(": "))
            return Refusal{std::stoul(std::string(digits)), why.substr(2)};
    }
    return {};
}

struct Location {
    std::string_view file, line;
};

// ".loc 1 41 5": file and line.
std::optional<Location> location_in(std::string_view text) {
    text = base::trimmed(text);
    if (!text.starts_with(".loc"))
        return {};
    text.remove_prefix(4);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    Location place{take_number(text), {}};
    if (!text.starts_with(' '))
        return {};
    text.remove_prefix(1);
    place.line = take_number(text);
    return place.file.empty() || place.line.empty() || !text.starts_with(' ') ? std::nullopt : std::optional(place);
}

} // namespace

std::string ptxas(const Tools& tools, const fs::path& ptx, const std::string& arch, const fs::path& source) {
    const fs::path ptxas = fs::path(tools.toolchain().nvcc).parent_path() / "ptxas";
    if (!fs::exists(ptxas))
        return {};
    Process process =
        tools.start({ptxas.string(), "-arch=" + arch, "-m64", ptx.string(), "-o", "/dev/null"}, ptx, ptx.parent_path());
    if (process.finish() && process.status() == 0)
        return {};
    constexpr size_t most_refusals = 50; // each may take a look at the whole PTX
    std::string errors;
    size_t refusals = 0;
    const std::string text = read_file(ptx);
    const auto lines = lines_of(text);
    for (const std::string_view line : lines_of(process.output())) {
        const auto refused = refusal_in(line);
        if (!refused)
            continue;
        if (errors.size() >= 2000 || ++refusals > most_refusals)
            break;
        std::string where = base::shown(source); // the line is the PTX's; name the source line that stands above it
        for (size_t i = std::min(refused->line, lines.size()); i-- > 0;)
            if (const auto place = location_in(lines[i])) {
                const std::string file = file_named(text, place->file, source);
                where = fmt::format("{}:{}", file.empty() ? base::shown(source) : file, place->line);
                break;
            }
        const std::string_view code = refused->line && refused->line <= lines.size() ? lines[refused->line - 1] : "";
        const std::string error = fmt::format("{}: error: {}\n    {}\n", where.substr(0, 400),
                                              refused->why.substr(0, 400), base::trimmed(code).substr(0, 400));
        if (errors.find(error) == std::string::npos) // each copy of an inlined function is refused
            errors += error;
    }
    return errors.empty() ? process.output().substr(0, 2000) : "ptxas refuses the PTX:\n" + errors;
}

} // namespace compile
