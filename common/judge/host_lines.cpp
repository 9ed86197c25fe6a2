#include <regex>
#include <sstream>

#include "base/files.h"
#include "judge/compile.h"
#include "judge/host_side.h"

namespace judge {

using sim::hazards::Finding, sim::hazards::Place;

namespace {

/// A place of which only an address in the program is known: "… (program+0x2f98; build the program with -g for the
/// line)".
struct Unnamed {
    Place* place;
    std::string address;
};

std::vector<Unnamed> unnamed_places(std::vector<Finding>& findings) {
    static const std::regex address(R"( \(program\+(0x[0-9a-f]+); build the program with -g for the line\)$)");
    std::vector<Unnamed> all;
    const auto look = [&](Place& place) {
        std::smatch match;
        if (place.file.empty() && std::regex_search(place.action, match, address))
            all.push_back({&place, match[1]});
    };
    for (auto& finding : findings) {
        look(finding.first);
        for (auto& other : finding.others)
            look(other);
    }
    return all;
}

// "file:line", perhaps with " (discriminator 1)"; "??:0" if it is not known.
void name_place(Place& place, const std::string& where) {
    static const std::regex known(R"(^(/.*):([1-9]\d*)( \(.*\))?$)");
    std::smatch match;
    if (!std::regex_match(where, match, known))
        return;
    place.file = fs::path(match[1].str()).lexically_normal();
    place.line = static_cast<uint32_t>(std::stoul(match[2]));
    place.action.resize(place.action.rfind(" (program+"));
}

} // namespace

void Compiler::name_host_lines(const Compiled& compiled, const fs::path& source, std::vector<Finding>& findings) const {
    const auto places = unnamed_places(findings);
    if (places.empty())
        return;
    std::vector<std::string> command{"addr2line", "-e", compiled.program.string()};
    for (const auto& place : places)
        command.push_back(place.address);
    const fs::path folder = cache_.workspace();
    {
        process::Process process = start(command, compiled.program, folder);
        if (process.finish() && process.status() == 0) {
            std::istringstream lines(process.output());
            std::string line;
            for (size_t i = 0; i < places.size() && std::getline(lines, line); ++i)
                name_place(*places[i].place, line);
        }
        const std::string text = base::read_file(source);
        for (const auto& [place, address] : places)
            if (!place->file.empty() && place->file == compiled.origin.file.lexically_normal())
                if (const auto moved = line_in(text, compiled.origin.text, place->line)) {
                    place->file = source;
                    place->line = moved;
                }
    }
    fs::remove_all(folder);
}

} // namespace judge
