#include "runner/launch_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/files.h"
#include "base/problem.h"

namespace runner {

using base::Problem, base::read_file, base::shown;
using nlohmann::json;

namespace launch_file {
namespace {

constexpr const char* described = "docs/ptx.md describes the file";

json to_json(const toml::node& node, const std::string& place, std::map<std::string, uint32_t>& lines) {
    lines[place] = node.source().begin.line;
    if (const auto* table = node.as_table()) {
        json all = json::object();
        for (const auto& [key, value] : *table)
            all[std::string(key.str())] =
                to_json(value, place.empty() ? std::string(key.str()) : place + "." + std::string(key.str()), lines);
        return all;
    }
    if (const auto* array = node.as_array()) {
        json all = json::array();
        for (const auto& value : *array)
            all.push_back(to_json(value, fmt::format("{}[{}]", place, all.size()), lines));
        return all;
    }
    if (const auto* text = node.as_string())
        return text->get();
    if (const auto* number = node.as_integer())
        return number->get();
    if (const auto* number = node.as_floating_point())
        return number->get();
    if (const auto* truth = node.as_boolean())
        return truth->get();
    throw launch::Mistake{{"dates and times mean nothing here", described}, place};
}

} // namespace
} // namespace launch_file

LaunchFile::LaunchFile(const std::filesystem::path& file) : file_(file) {
    const std::string text = read_file(file);
    try {
        description_ = file.extension() == ".json" ? json::parse(text)
                                                   : launch_file::to_json(toml::parse(text, file.string()), "", lines_);
        launch::Part(description_, "")
            .only({"kernel", "grid", "block", "cluster", "shared", "cooperative", "arguments", "numbers", "buffers",
                   "launches"});
    } catch (const toml::parse_error& error) {
        throw Problem{fmt::format("{}:{}: {}", shown(file), error.source().begin.line, error.description()),
                      launch_file::described};
    } catch (const json::parse_error& error) {
        throw Problem{fmt::format("{}: {}", shown(file), error.what()), launch_file::described};
    } catch (const launch::Mistake& mistake) {
        throw problem(mistake);
    }
}

std::filesystem::path LaunchFile::beside(const std::string& name) const {
    return file_.parent_path() / name;
}

Problem LaunchFile::problem(const launch::Mistake& mistake) const {
    const auto line = lines_.find(mistake.place);
    const std::string where = line != lines_.end() && line->second ? fmt::format(":{}", line->second) : "";
    return {fmt::format("{}{}: {}{}{}", shown(file_), where, mistake.place, mistake.place.empty() ? "" : ": ",
                        mistake.what),
            mistake.next};
}

} // namespace runner
