#include "grader/collect.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/layouts.h"
#include "grader/submission.h"
#include "runner/paths.h"

namespace grader {

using nlohmann::json;

namespace {

bool is_submission(const fs::path& path, const std::vector<std::string>& labs) {
    if (!fs::is_directory(path))
        return true;
    return std::any_of(fs::directory_iterator(path), {}, [&](const auto& entry) {
        std::string name = entry.path().filename().string();
        if (name.ends_with(".cu"))
            name.resize(name.size() - 3);
        return name == "labs" || name == "kernel" || lab_named(name, labs);
    });
}

bool could_be(const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code problem;
    const auto status = fs::symlink_status(path, problem);
    return name[0] != '.' &&
           (fs::is_directory(status) || (fs::is_regular_file(status) && (name.ends_with(".cu") || is_archive(name))));
}

Found plain(const fs::path& path) {
    const std::string id = file_name((fs::is_directory(path) ? path.filename() : path.stem()).string());
    return {id, {{path, "", ""}}, {}, {}, {}};
}

void add_plain(Collection& all, const fs::path& path, const std::vector<std::string>& labs) {
    if (is_submission(path, labs)) {
        all.found.push_back(plain(path));
        return;
    }
    for (const auto& entry : fs::directory_iterator(path))
        if (could_be(entry.path()))
            all.found.push_back(plain(entry.path()));
        else
            all.ignored.push_back(entry.path().filename().string() + ": no folder, archive or .cu file");
}

void add_download(Collection& all, const fs::path& path, const Layout& layout,
                  const std::map<std::string, Metadata>& metadata) {
    for (const auto& handed : layout.handed) {
        Found one;
        if (layout.platform == "Gradescope") {
            if (const auto known = metadata.find(handed.key); known != metadata.end()) {
                one.students = known->second.students;
                one.submitted = known->second.submitted;
            }
        } else {
            one.students = {handed.student};
        }
        one.id = file_name(one.students.empty() ? handed.key : one.students[0].name + "_" + handed.key);
        one.remarks = handed.remarks;
        for (const auto& [file, called] : handed.files)
            one.parts.push_back({path, file, called});
        all.found.push_back(std::move(one));
    }
    for (const auto& file : layout.ignored)
        all.ignored.push_back(file);
    all.layouts.push_back(fmt::format("{}: a download from {}, {} submissions", path.filename().string(),
                                      layout.platform, layout.handed.size()));
}

} // namespace

Collection collect(const std::vector<fs::path>& arguments, const std::vector<std::string>& labs) {
    Collection all;
    for (const auto& argument : arguments) {
        std::error_code problem;
        const fs::path path = fs::canonical(argument, problem);
        if (problem)
            throw runner::Problem{"there is no " + argument.string(), "check the paths of the submissions"};
        const auto files = list_files(path);
        const Layout layout = layout_of(files);
        if (layout.platform.empty()) {
            add_plain(all, path, labs);
            continue;
        }
        std::map<std::string, Metadata> metadata;
        for (const auto& file : files)
            if (layout.platform == "Gradescope" && fs::path(file).filename() == "submission_metadata.yml")
                metadata.merge(gradescope_metadata(read_member(path, file)));
        add_download(all, path, layout, metadata);
    }
    const auto rank = [](const Found& one) {
        return std::tuple(one.id, one.parts.empty() ? fs::path() : one.parts[0].path);
    };
    std::sort(all.found.begin(), all.found.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    std::set<std::string> taken;
    for (auto& one : all.found) {
        const std::string base = one.id;
        for (int i = 2; !taken.insert(one.id).second; ++i)
            one.id = fmt::format("{}-{}", base, i);
    }
    return all;
}

json to_json(const Found& found) {
    json parts = json::array(), students = json::array();
    for (const auto& part : found.parts)
        parts.push_back({part.path.string(), part.inside, part.called});
    for (const auto& student : found.students)
        students.push_back({{"id", student.id}, {"name", student.name}, {"email", student.email}});
    json result{{"id", found.id}, {"parts", parts}, {"students", students}, {"remarks", found.remarks}};
    if (found.submitted)
        result["submitted"] = text_of(*found.submitted);
    return result;
}

Found found(const json& json) {
    Found result;
    result.id = json.at("id");
    for (const auto& part : json.at("parts"))
        result.parts.push_back({part.at(0).get<std::string>(), part.at(1), part.at(2)});
    for (const auto& student : json.at("students"))
        result.students.push_back({student.at("id"), student.at("name"), student.at("email")});
    result.remarks = json.at("remarks");
    if (json.contains("submitted"))
        result.submitted = time_from(json.at("submitted").get<std::string>());
    return result;
}

} // namespace grader
