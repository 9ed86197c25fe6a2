#include "runner/suppress.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/demangle.h"
#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "runner/names.h"
#include "sim/diagnosis/place.h"
#include "sim/rules/rule.h"

namespace runner {
namespace suppression {
namespace {

using sim::hazards::Finding, sim::hazards::Rule;

constexpr const char* described = "docs/ci/README.md describes the file";
constexpr std::string_view known[] = {"rule", "file", "function", "reason", "expires"};

[[noreturn]] void fail(const fs::path& file, const toml::node& node, std::string_view what) {
    throw base::Problem{fmt::format("{}:{}: {}", base::shown(file), node.source().begin.line, what), described};
}

toml::table parsed(const fs::path& file) {
    try {
        return toml::parse(base::read_file(file), file.string());
    } catch (const toml::parse_error& error) {
        throw base::Problem{fmt::format("{}:{}: {}", base::shown(file), error.source().begin.line, error.description()),
                            described};
    }
}

// Text that must be there if `needed`, and must not be empty.
std::string text_of(const fs::path& file, const toml::table& entry, const char* key, const char* example, bool needed) {
    const auto* node = entry.get(key);
    if (!node && !needed)
        return {};
    if (!node)
        fail(file, entry, fmt::format("this entry has no {0}: {0} = \"{1}\"", key, example));
    const auto* text = node->as_string();
    if (!text || base::trimmed(text->get()).empty())
        fail(file, *node, fmt::format("expected a text: {} = \"{}\"", key, example));
    return std::string(base::trimmed(text->get()));
}

const Rule* rule_of(const fs::path& file, const toml::table& entry) {
    const std::string name = text_of(file, entry, "rule", "RULE", true);
    if (const Rule* rule = sim::hazards::find_rule(name))
        return rule;
    std::vector<std::string> names;
    for (const Rule* rule : sim::hazards::rules())
        names.emplace_back(rule->name);
    const std::string near = nearest(name, names);
    fail(file, *entry.get("rule"),
         fmt::format("there is no rule '{}'{}", name,
                     near.empty() ? "; ./lab explain lists the rules" : "; did you mean '" + near + "'?"));
}

std::string date_of(const fs::path& file, const toml::table& entry) {
    const auto* node = entry.get("expires");
    if (!node)
        return {};
    const auto* date = node->as_date();
    if (!date)
        fail(file, *node, "expected a date without quotes: expires = 2030-12-31");
    const toml::date day = date->get();
    return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

std::string today() {
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
    return fmt::format("{:04}-{:02}-{:02}", int(day.year()), unsigned(day.month()), unsigned(day.day()));
}

Suppression read(const fs::path& file, const toml::node& node) {
    const auto* table = node.as_table();
    if (!table)
        fail(file, node, "expected a table: [[suppress]]");
    for (const auto& [key, value] : *table)
        if (std::ranges::find(known, key.str()) == std::end(known))
            fail(file, value, fmt::format("an entry has no '{}'", key.str()));
    Suppression entry;
    entry.line = node.source().begin.line;
    entry.rule = rule_of(file, *table);
    entry.file = text_of(file, *table, "file", "kernels/ring.cu", true);
    entry.function = text_of(file, *table, "function", "consume", false);
    entry.reason = text_of(file, *table, "reason", "why this may stay as it is", true);
    entry.expires = date_of(file, *table);
    entry.expired = !entry.expires.empty() && entry.expires < today();
    if (entry.file.starts_with("./"))
        entry.file.erase(0, 2);
    if (entry.file.ends_with('/'))
        entry.file += "**";
    return entry;
}

// "wait" of "ring::wait<4>".
std::string_view bare(std::string_view name) {
    name = name.substr(0, name.find('<'));
    const size_t scope = name.rfind("::");
    return scope == name.npos ? name : name.substr(scope + 2);
}

bool in_function(const Finding& finding, const std::string& function) {
    const std::string kernel = base::function_name(finding.kernel);
    if (function.empty() || kernel == function || bare(kernel) == function)
        return true;
    return std::ranges::any_of(finding.first.calls, [&](const auto& call) { return call.function == function; });
}

bool glob(std::string_view pattern, std::string_view text) {
    if (pattern.empty())
        return text.empty();
    if (pattern.starts_with("**")) {
        const bool folders = pattern.starts_with("**/");
        const std::string_view rest = pattern.substr(folders ? 3 : 2);
        for (size_t at = 0; at <= text.size(); ++at)
            if ((!folders || at == 0 || text[at - 1] == '/') && glob(rest, text.substr(at)))
                return true;
        return false;
    }
    if (pattern[0] == '*') {
        for (size_t at = 0; at <= text.size(); ++at) {
            if (glob(pattern.substr(1), text.substr(at)))
                return true;
            if (at < text.size() && text[at] == '/')
                break;
        }
        return false;
    }
    if (text.empty() || (pattern[0] == '?' ? text[0] == '/' : pattern[0] != text[0]))
        return false;
    size_t length = 1; // of a character in UTF-8
    if (pattern[0] == '?')
        while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
            ++length;
    return glob(pattern.substr(1), text.substr(length));
}

} // namespace
} // namespace suppression

bool matches_path(std::string_view pattern, std::string_view path) {
    if (pattern.find('/') == pattern.npos)
        path = path.substr(path.rfind('/') + 1); // npos + 1 is 0
    return suppression::glob(pattern, path);
}

Suppressions::Suppressions(const fs::path& file) : file_(file), folder_(fs::weakly_canonical(file).parent_path()) {
    const toml::table whole = suppression::parsed(file);
    for (const auto& [key, value] : whole)
        if (key.str() != "suppress" || !value.is_array())
            suppression::fail(file, value,
                              fmt::format("expected [[suppress]], not {}",
                                          value.is_table() ? fmt::format("[{}]", key.str()) : std::string(key.str())));
    if (const auto* entries = whole["suppress"].as_array())
        for (const toml::node& node : *entries) {
            Suppression& entry = entries_.emplace_back(suppression::read(file, node));
            // A name without * that names nothing is a mistake, whichever programs are run.
            const bool name =
                entry.file.find_first_of("*?") == entry.file.npos && entry.file.find('/') != entry.file.npos;
            entry.concerned = name && !fs::exists(folder_ / entry.file);
        }
}

bool Suppressions::covers(const Suppression& entry, const fs::path& file) const {
    const fs::path whole = fs::weakly_canonical(file);
    return matches_path(entry.file, entry.file.starts_with('/') ? whole.generic_string()
                                                                : whole.lexically_relative(folder_).generic_string());
}

const Suppression* Suppressions::find(const sim::hazards::Finding& finding, const fs::path& program) {
    const Suppression* found = nullptr;
    const auto anywhere = [&](const Suppression& entry) {
        return covers(entry, finding.first.file.empty() ? program : fs::path(finding.first.file)) ||
               std::ranges::any_of(finding.first.calls, [&](const auto& call) { return covers(entry, call.file); });
    };
    for (Suppression& entry : entries_) {
        if (entry.rule != finding.rule || !suppression::in_function(finding, entry.function) || !anywhere(entry))
            continue;
        entry.matched = true;
        if (!found && !entry.expired)
            found = &entry;
    }
    return found;
}

void Suppressions::concerns(const std::set<fs::path>& files) {
    for (Suppression& entry : entries_)
        entry.concerned =
            entry.concerned || std::ranges::any_of(files, [&](const fs::path& file) { return covers(entry, file); });
}

std::vector<SuppressionRemark> Suppressions::remarks(bool all_judged) const {
    std::vector<SuppressionRemark> all;
    for (const Suppression& entry : entries_)
        if (entry.matched && entry.expired)
            all.push_back({false, entry.line,
                           fmt::format("this suppression of {} has expired on {}, so what it matches is reported "
                                       "again: correct the code, or choose a later date (reason: {})",
                                       entry.rule->name, entry.expires, entry.reason)});
        else if (!entry.matched && entry.concerned && all_judged)
            all.push_back({true, entry.line,
                           fmt::format("this suppression of {} in {} matches no finding: remove it", entry.rule->name,
                                       entry.function.empty() ? entry.file : entry.function + ", " + entry.file)});
    return all;
}

} // namespace runner
