#include "runner/names.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "runner/context.h"

namespace runner {

using base::Problem;
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

// Edits from one to the other: insert, remove, replace.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

} // namespace

std::string nearest(std::string_view text, const std::vector<std::string>& names) {
    std::string best;
    size_t least = SIZE_MAX;
    for (const auto& name : names) {
        const std::string typed = lower(text), whole = lower(name);
        size_t edits = distance(typed, whole);
        if (edits > std::max<size_t>(2, text.size() / 3))
            edits = SIZE_MAX;
        // A part of the name may have been meant, or some of its words.
        if (text.size() >= 3 && whole.find(typed) != std::string::npos)
            edits = std::min<size_t>(edits, 1);
        for (size_t from = 0; from < whole.size(); from = std::min(whole.find('_', from), whole.size()) + 1)
            for (size_t to = from; to < whole.size();) {
                to = std::min(whole.find('_', to + 1), whole.size());
                if (const size_t some = distance(typed, whole.substr(from, to - from)); some <= text.size() / 4)
                    edits = std::min(edits, some + 1);
            }
        if (edits < least) {
            least = edits;
            best = name;
        }
    }
    return best;
}

std::string_view lab_of(std::string_view name) {
    return name.substr(0, name.find('/'));
}

std::string number_of(std::string_view lab) {
    std::string number(lab.substr(0, lab.find('_')));
    if (const size_t slash = lab.rfind('/'); slash != lab.npos) {
        const std::string_view file = lab.substr(slash + 1);
        number += (lab.find("/hunts/") == lab.npos ? "." : ".h") + std::string(file.substr(0, file.find('_')));
    }
    return number;
}

std::vector<const check::ListedLab*> exercises_of(std::string_view lab, std::string_view kind) {
    std::vector<const check::ListedLab*> found;
    const std::string folder = fmt::format("{}/{}/", lab, kind);
    for (const auto& one : check::exercises())
        if (one.name.starts_with(folder))
            found.push_back(&one);
    return found;
}

namespace {

// As typed, without what completion by the shell adds.
std::string without_folders(std::string_view text) {
    std::string wanted = lower(text);
    for (const std::string_view prefix : {"./", "labs/"})
        if (wanted.starts_with(prefix))
            wanted = wanted.substr(prefix.size());
    return wanted;
}

// "05_wait_group/drills/3_the_tail", "5/drills/3"?
bool is_path_of(std::string_view wanted, std::string_view exercise) {
    const size_t slash = wanted.find('/');
    if (slash == wanted.npos)
        return false;
    const std::string_view lab = wanted.substr(0, slash), rest = wanted.substr(slash),
                           own = exercise.substr(lab_of(exercise).size());
    const std::string number = number_of(lab_of(exercise));
    return (lab == lab_of(exercise) || lab == number || "0" + std::string(lab) == number) &&
           (rest == own || own.starts_with(std::string(rest) + "_"));
}

// "5.3", "05.h1", "05_wait_group/drills/3_the_tail.cu", "05/drills/3"; nullptr: it is the name of no exercise.
const check::ListedLab* find_exercise(std::string_view text) {
    std::string wanted = without_folders(text);
    if (wanted.ends_with(".cu"))
        wanted.resize(wanted.size() - 3);
    for (const auto& one : check::exercises())
        if (is_path_of(wanted, one.name) || number_of(one.name) == wanted || number_of(one.name) == "0" + wanted)
            return &one;
    return nullptr;
}

// A file that exists, in a folder that has a lab's name, or in one below it: "labs/05_wait_group/kernel.cu",
// "solutions/05_wait_group/drills/3_the_tail.cu", "kernel.cu" where one is in the lab's folder.
const check::ListedLab* find_by_file(std::string_view text) {
    std::error_code problem;
    if (!text.ends_with(".cu") || !fs::is_regular_file(text, problem))
        return nullptr;
    fs::path inside;
    const check::ListedLab* lab = nullptr;
    for (const fs::path& part : fs::canonical(text, problem)) {
        const auto known = std::ranges::find(check::labs(), part.string(), &check::ListedLab::name);
        if (known != check::labs().end()) {
            lab = &*known;
            inside.clear();
        }
        if (lab)
            inside /= part;
    }
    for (; lab && inside.has_parent_path(); inside = inside.parent_path())
        if (const auto* exercise = find_exercise(inside.string()))
            return exercise;
    return lab;
}

std::string numbers(const std::vector<const check::ListedLab*>& exercises) {
    std::string list;
    for (const auto* one : exercises)
        list += (list.empty() ? "" : ", ") + number_of(one->name);
    return list;
}

} // namespace

std::string other_file(const base::Paths& paths, const std::string& text) {
    std::error_code problem;
    const auto* lab = find_by_file(text);
    return !lab || fs::equivalent(text, paths.source(lab->name), problem) ? "" : text;
}

fs::path working_file(const base::Paths& paths, std::string_view name) {
    const fs::path source = paths.source(name), copy = paths.own_copy(name);
    if (!paths.shared() || command_name() == "./lab" || source == copy)
        return source;
    base::write_file(copy, base::read_file(source));
    fmt::print(stderr, "lab: a copy to work on: {}\n", base::shown(copy));
    return copy;
}

const check::ListedLab& find_lab(std::string_view text) {
    if (const auto* lab = find_by_file(text))
        return *lab;
    if (const auto* exercise = find_exercise(text))
        return *exercise;
    const size_t dot = text.find('.', 1);
    const bool path = text.find("/drills/") != text.npos || text.find("/hunts/") != text.npos;
    if (!path && (dot == text.npos || dot + 1 >= text.size() || text.find('/') != text.npos))
        return find_whole_lab(text);
    const std::string_view lab = find_whole_lab(path ? text : text.substr(0, dot)).name;
    const bool hunt = path ? text.find("/hunts/") != text.npos : text[dot + 1] == 'h';
    const std::string there = numbers(exercises_of(lab, hunt ? "hunts" : "drills"));
    throw Problem{fmt::format("there is no {} '{}'", hunt ? "hunt" : "drill", text),
                  there.empty() ? "./lab list shows what each lab has" : "choose one of " + there};
}

const check::ListedLab& find_whole_lab(std::string_view text) {
    const auto& all = check::labs();
    std::string wanted = without_folders(text);
    wanted = wanted.substr(0, wanted.find('/'));
    const bool number =
        !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [](unsigned char c) { return std::isdigit(c); });
    std::vector<const check::ListedLab*> found;
    for (const auto& lab : all) {
        if (lab.name == wanted || (number && std::stoul(wanted.substr(0, 6)) == std::stoul(number_of(lab.name))))
            return lab;
        if (!number && !wanted.empty() && lab.name.find(wanted) != std::string_view::npos)
            found.push_back(&lab);
    }
    if (found.size() == 1)
        return *found[0];
    std::vector<std::string> names;
    for (const auto& lab : all)
        names.emplace_back(lab.name);
    if (found.size() > 1) {
        std::string list;
        for (const auto* lab : found)
            list += (list.empty() ? "" : ", ") + std::string(lab->name);
        throw Problem{fmt::format("'{}' is part of the names of several labs: {}", text, list),
                      "type more of the name, or its number"};
    }
    const std::string near = number ? std::string() : nearest(text, names);
    throw Problem{fmt::format("there is no lab '{}'", text),
                  near.empty() ? "./lab list shows all labs" : fmt::format("did you mean {}?", near)};
}

check::Target target_of(const check::ListedLab& lab, std::string_view arch) {
    std::string known;
    for (const auto& one : lab.lab->targets) {
        if (one.arch() == arch)
            return one;
        known += " " + one.arch();
    }
    if (arch.empty())
        return lab.lab->targets.back();
    throw Problem{fmt::format("the lab is not made for {}", arch), "its targets:" + known};
}

} // namespace runner
