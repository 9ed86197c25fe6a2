#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/files.h"
#include "compile/cache.h"
#include "compile/compiler.h"
#include "compile/host_side.h"

namespace compile {

using sim::hazards::Finding, sim::hazards::Place;

namespace {

/// A place of which only an address in the program is known: "… (program+0x2f98; build the program with -g for the
/// line)".
struct Unnamed {
    Place* place;
    std::string address;
};

std::vector<Unnamed> unnamed_places(std::vector<Finding>& findings) {
    constexpr std::string_view before = " (program+", behind = "; build the program with -g for the line)";
    std::vector<Unnamed> all;
    const auto look = [&](Place& place) {
        const std::string& said = place.action;
        const size_t begin = said.rfind(before), end = said.size() - std::min(behind.size(), said.size());
        if (place.file.empty() && begin != said.npos && said.ends_with(behind) && begin + before.size() < end)
            all.push_back({&place, said.substr(begin + before.size(), end - begin - before.size())});
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
    const std::string line = where.ends_with(')') ? where.substr(0, where.rfind(" (")) : where;
    const size_t colon = line.rfind(':');
    if (!line.starts_with('/') || colon == line.npos)
        return;
    const std::string number = line.substr(colon + 1);
    if (number.empty() || number.size() > 9 || number.starts_with('0') ||
        number.find_first_not_of("0123456789") != number.npos)
        return;
    place.file = fs::path(line.substr(0, colon)).lexically_normal();
    place.line = static_cast<uint32_t>(std::stoul(number));
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
    const fs::path folder = work_->workspace();
    {
        process::Process process = tools_.start(command, compiled.program, folder);
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

} // namespace compile
