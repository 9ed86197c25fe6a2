#include "sources.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/changes.h"
#include "base/files.h"
#include "base/text.h"

namespace fs = std::filesystem;
using sim::hazards::Severity;

namespace {

constexpr std::string_view neighbours_begin = "\n/*\n== ", neighbours_end = "*/\n";

const std::regex& mark() {
#define ITEM "(?:(?:error|warning|note)(?: \\d+)?: [a-z-]+|other(?: \\d+)?)"
    static const std::regex pattern(" *// (" ITEM "(?:, " ITEM ")*)$");
#undef ITEM
    return pattern;
}

size_t length_of_head(std::string_view text) {
    size_t length = 0;
    while (text.substr(length).starts_with("//"))
        length = std::min(text.find('\n', length), text.size() - 1) + 1;
    return length;
}

std::string unmarked(std::string_view text) {
    std::string out;
    for (const std::string_view line : base::lines_of(text)) {
        const std::string rest = std::regex_replace(std::string(line), mark(), "");
        if (rest.size() == line.size() || !base::trimmed(rest).empty())
            out += rest + "\n";
    }
    return out;
}

// "== NAME", lines about it, an empty line, blocks.
Source neighbour(std::string_view entry, std::string_view program, const fs::path& made) {
    const size_t end = std::min(entry.find("\n\n"), entry.size());
    const auto head = base::lines_of(entry.substr(0, end));
    Source source{std::string(base::trimmed(head[0])), {}, {}, false, false};
    source.file = made / (source.name + ".cu");
    for (size_t i = 1; i < head.size(); ++i)
        source.text += fmt::format("// {}\n", head[i]);
    source.text += base::with_changes(program, entry.substr(end));
    return source;
}

void add(const fs::path& file, const std::string& name, const fs::path& made, std::vector<Source>& all) {
    const std::string text = base::read_file(file);
    const bool is_one = is_chosen(name, text);
    all.push_back({name, file, text, true, is_one});
    const size_t begin = text.find(neighbours_begin);
    if (begin == text.npos)
        return;
    const size_t head = length_of_head(text);
    const std::string program = unmarked(std::string_view(text).substr(head, begin - head));
    std::string_view rest = std::string_view(text).substr(begin + neighbours_begin.size());
    if (!rest.ends_with(neighbours_end))
        throw std::runtime_error(fmt::format("{}: error: a file of programs ends with */", file.string()));
    rest.remove_suffix(neighbours_end.size());
    while (!rest.empty()) {
        const size_t next = std::min(rest.find("\n== "), rest.size());
        try {
            all.push_back(neighbour(rest.substr(0, next), program, made));
            all.back().chosen = is_one;
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(
                fmt::format("{}: error: {}: {}", file.string(), rest.substr(0, rest.find('\n')), error.what()));
        }
        rest.remove_prefix(std::min(next + 4, rest.size()));
    }
}

} // namespace

std::vector<Source> sources(const fs::path& folder, const fs::path& made) {
    std::vector<Source> all;
    for (const char* kind : {"clean", "wrong"})
        for (const auto& entry : fs::directory_iterator(folder / kind))
            if (entry.path().extension() == ".cu")
                add(fs::weakly_canonical(entry.path()), fmt::format("{}/{}", kind, entry.path().stem().string()),
                    fs::weakly_canonical(made), all);
    std::ranges::sort(all, {}, &Source::name);
    if (const auto twice = std::ranges::adjacent_find(all, {}, &Source::name); twice != all.end())
        throw std::runtime_error(
            fmt::format("{}: error: two programs are called {}", twice->file.string(), twice->name));
    return all;
}

bool is_chosen(std::string_view name, std::string_view text) {
    const char* part = std::getenv("ASYNCLAB_ONLY");
    return !part || name.find(part) != name.npos || text.find(part) != text.npos;
}

bool needs_blackwell(std::string_view text) {
    return text.find("compute_100a") != std::string_view::npos;
}

std::string place_of(Severity severity, std::string_view rule, unsigned line, const std::vector<unsigned>& others) {
    const std::set<unsigned> sorted(others.begin(), others.end());
    return fmt::format("{}: {}, line {}{}{}", name(severity), rule, line, sorted.empty() ? "" : "; also lines ",
                       fmt::join(sorted, " "));
}

std::vector<std::string> expected_places(std::string_view text) {
    struct Place {
        Severity severity = Severity::error;
        std::string rule;
        unsigned line = 0;
        std::vector<unsigned> others;
    };
    std::map<int, Place> places; // by number; 0: it has none
    static const std::regex item("(error|warning|note|other)(?: (\\d+))?(?:: ([a-z-]+))?");
    unsigned number = 0, above = 0;
    for (const std::string_view at : base::lines_of(text.substr(0, text.find(neighbours_begin)))) {
        const std::string line(at);
        ++number;
        std::smatch found;
        if (!std::regex_search(line, found, mark())) {
            above = number;
            continue;
        }
        if (!base::trimmed(found.prefix().str()).empty())
            above = number;
        const std::string items = found[1];
        for (std::sregex_iterator i(items.begin(), items.end(), item), end; i != end; ++i) {
            Place& place = places[(*i)[2].matched ? std::stoi((*i)[2]) : 0];
            if (!(*i)[3].matched) {
                place.others.push_back(above);
                continue;
            }
            if (place.line)
                throw std::runtime_error("two reports have one number: " + line);
            const std::string severity = (*i)[1];
            place.severity = severity == "error"     ? Severity::error
                             : severity == "warning" ? Severity::warning
                                                     : Severity::note;
            place.rule = (*i)[3];
            place.line = above;
        }
    }
    std::vector<std::string> out;
    for (const auto& [n, place] : places)
        out.push_back(place_of(place.severity, place.rule, place.line, place.others));
    return out;
}

std::vector<std::string> said(std::string_view text, std::string_view key) {
    const std::string mark = fmt::format("// {}: ", key);
    std::vector<std::string> out;
    for (const std::string_view line : base::lines_of(text.substr(0, length_of_head(text))))
        if (line.starts_with(mark))
            out.emplace_back(line.substr(mark.size()));
    return out;
}
