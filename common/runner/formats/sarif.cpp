// SARIF 2.1.0: what GitHub's code scanning, Visual Studio Code and others read.
#include <map>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "runner/formats/format.h"
#include "sim/report/text.h"
#include "sim/rules/rule.h"

namespace runner::formats {
namespace sarif_log {
namespace {

using nlohmann::json;
using sim::hazards::Finding, sim::hazards::Place, sim::hazards::Rule;

constexpr const char* base_id = "%SRCROOT%";

json message(const std::string& text) {
    return {{"text", text}};
}

// Braces alone would not always make it a list.
json list_of(json one) {
    json all = json::array();
    all.push_back(std::move(one));
    return all;
}

json function_named(const std::string& name) {
    return list_of({{"name", name}, {"kind", "function"}});
}

std::string sentence(std::string_view text) {
    return std::string(text) + (text.empty() || text.back() == '.' ? "" : ".");
}

// "TwoWords" of "two-words".
std::string pascal_case(std::string_view name) {
    std::string out;
    bool upper = true;
    for (const char c : name) {
        if (c != '-')
            out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = c == '-';
    }
    return out;
}

std::string uri(std::string_view path) {
    std::string out;
    for (const char c : path)
        if (base::is_word(c) || std::string_view("-.~/").find(c) != std::string_view::npos)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return out;
}

// So that __syncthreads() does not become bold.
std::string markdown_of(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += (std::string_view("_*<[`").find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
    return out;
}

json descriptor(const Rule& rule) {
    const std::string why = rule.why.text(), remedy = rule.remedy.text();
    std::string markdown = fmt::format("{}\n\n**What usually fixes it:** {}\n", markdown_of(why), markdown_of(remedy));
    for (const auto& [title, program] : {std::pair{"This program is reported:", std::string(rule.wrong)},
                                         std::pair{"This one is correct:", rule.right()}})
        if (!program.empty())
            markdown += fmt::format("\n{}\n\n```cuda\n{}```\n", title, program);
    json result{
        {"id", rule.name},
        {"name", pascal_case(rule.name)},
        {"shortDescription", message(sentence(rule.title))},
        {"fullDescription", message(sentence(why))},
        {"help", {{"text", fmt::format("{}\n\n{}", why, remedy)}, {"markdown", markdown}}},
        {"defaultConfiguration", {{"level", sim::hazards::name(rule.severity)}}},
        {"properties", {{"tags", json::array({"cuda", "concurrency"})}, {"precision", "very-high"}}},
    };
    if (!rule.manual.empty())
        result["helpUri"] = rule.manual;
    return result;
}

class Log {
  public:
    explicit Log(const Invocation& invocation) : invocation_(invocation) {
        for (const Program& program : invocation.programs)
            add(program);
        for (const auto& remark : invocation.remarks())
            configuration_.push_back({
                {"level", sim::hazards::name(invocation.severity(remark))},
                {"message", message(remark.text)},
                {"locations", list_of({{"physicalLocation", in_suppressions(remark.line)}})},
            });
    }

    json text() const;

  private:
    void add(const Program& program);
    json result(const sim::hazards::FindingGroup& group, const Program& program);
    json artifact(const std::string& file) const;
    json physical(const Place& place, const std::string& program);
    json physical(const std::string& file, uint32_t line, uint32_t column);
    json in_suppressions(uint32_t line) { return physical(invocation_.suppressions->file().string(), line, 0); }
    json stacks(const Finding& finding);
    std::string fingerprint(const Finding& finding, const Program& program);
    size_t index_of(const Rule& rule);

    const Invocation& invocation_;
    Root root_;
    Sources sources_;
    std::vector<const Rule*> rules_;
    std::map<std::string, size_t> fingerprints_;
    json results_ = json::array(), execution_ = json::array(), configuration_ = json::array();
    json artifacts_ = json::array();
};

json Log::artifact(const std::string& file) const {
    if (const auto inside = root_.inside(file))
        return {{"uri", uri(*inside)}, {"uriBaseId", base_id}};
    return {{"uri", "file://" + uri(Root::whole(file))}};
}

// Columns count UTF-16 units, as SARIF has it unless a run says otherwise; nvcc counts bytes.
uint32_t column_of(std::string_view line, uint32_t column) {
    uint32_t units = 1;
    for (size_t i = 0; i + 1 < column && i < line.size(); ++i) {
        const auto byte = static_cast<unsigned char>(line[i]);
        units += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
    }
    return units;
}

json Log::physical(const std::string& file, uint32_t line, uint32_t column) {
    json region{{"startLine", line}};
    const std::string_view text = sources_.line(file, line);
    if (column && column <= text.size())
        region["startColumn"] = column_of(text, column);
    if (!text.empty())
        region["snippet"] = message(std::string(text));
    return {{"artifactLocation", artifact(file)}, {"region", region}};
}

// A finding without a place in the source is placed at the program's first line: GitHub drops results without one.
json Log::physical(const Place& place, const std::string& program) {
    return place.file.empty() || !place.line ? physical(program, 1, 0) : physical(place.file, place.line, place.column);
}

json Log::stacks(const Finding& finding) {
    json all = json::array();
    const auto add = [&](const Place& place) {
        if (place.calls.size() < 2)
            return;
        json frames = json::array();
        for (const auto& call : place.calls)
            frames.push_back(
                {{"location",
                  {{"physicalLocation", physical(call.file, call.line, call.column)},
                   {"logicalLocations", function_named(call.function.empty() ? finding.kernel : call.function)}}}});
        all.push_back({{"message", message(what(place))}, {"frames", frames}});
    };
    add(finding.first);
    for (const Place& other : finding.others)
        add(other);
    return all;
}

// The lines' text and not their numbers, so that code in between may change; equal ones are numbered.
std::string Log::fingerprint(const Finding& finding, const Program& program) {
    base::Hash hash;
    hash.add(sim::hazards::rule_name(finding)).add(root_.shown(program.file)).add(finding.kernel);
    const auto add = [&](const Place& place) {
        hash.add(place.file.empty() ? "" : root_.shown(place.file));
        hash.add(base::trimmed(sources_.line(place.file, place.line)));
    };
    add(finding.first);
    for (const Place& other : finding.others)
        add(other);
    const std::string text = hash.text();
    return fmt::format("{}:{}", text, ++fingerprints_[text]);
}

size_t Log::index_of(const Rule& rule) {
    const auto found = std::ranges::find(rules_, &rule);
    if (found == rules_.end()) {
        rules_.push_back(&rule);
        return rules_.size() - 1;
    }
    return size_t(found - rules_.begin());
}

json Log::result(const sim::hazards::FindingGroup& group, const Program& program) {
    const Finding& finding = *group.cause;
    json related = json::array();
    const auto relate = [&](const Place& place, const std::string& text) {
        if (!place.file.empty() && place.line)
            related.push_back({{"id", related.size() + 1},
                               {"physicalLocation", physical(place, program.file)},
                               {"message", message(text)}});
    };
    for (const Place& other : finding.others)
        relate(other, what(other));
    std::string text;
    const auto add = [&](const std::string& paragraph) {
        if (!paragraph.empty())
            text += (text.empty() ? "" : "\n") + paragraph;
    };
    add(sentence(what(finding.first)));
    add(finding.message);
    add(finding.remedy);
    for (const Finding* consequence : group.consequences)
        relate(consequence->first, "probably a consequence: " + sim::hazards::rule_name(*consequence));
    json location{{"physicalLocation", physical(finding.first, program.file)}};
    if (const std::string action = what(finding.first); !action.empty())
        location["message"] = message(action);
    if (!finding.kernel.empty())
        location["logicalLocations"] = function_named(finding.kernel);
    json made{
        {"ruleId", sim::hazards::rule_name(finding)},
        {"level", sim::hazards::name(finding.severity)},
        {"message", message(text)},
        {"locations", list_of(location)},
        {"partialFingerprints", {{"asynclab/v1", fingerprint(finding, program)}}},
        {"properties",
         {{"program", root_.shown(program.file)},
          {"schedule", sim::hazards::name(finding.schedule.completion)},
          {"seed", finding.schedule.seed}}},
    };
    if (finding.rule)
        made["ruleIndex"] = index_of(*finding.rule);
    if (!related.empty())
        made["relatedLocations"] = related;
    if (json chains = stacks(finding); !chains.empty())
        made["stacks"] = chains;
    return made;
}

void Log::add(const Program& program) {
    artifacts_.push_back({{"location", artifact(program.file)}, {"roles", list_of("analysisTarget")}});
    for (const auto& one : grouped_findings(program, invocation_.all))
        results_.push_back(result(one, program));
    for (const auto& [finding, by] : program.outcome.suppressed) {
        json made = result({&finding, {}}, program);
        made["suppressions"] = list_of({{"kind", "external"},
                                        {"status", "accepted"},
                                        {"justification", by->reason},
                                        {"location", {{"physicalLocation", in_suppressions(by->line)}}}});
        results_.push_back(made);
    }
    for (const auto& [name, what, next] : troubles(program))
        execution_.push_back({
            {"level", "error"},
            {"descriptor", {{"id", name}}},
            {"message", message(what + (next.empty() ? "" : "\nnext: " + next))},
            {"locations", list_of({{"physicalLocation", {{"artifactLocation", artifact(program.file)}}}})},
        });
}

std::string time_of(std::chrono::system_clock::time_point time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

json Log::text() const {
    json rules = json::array();
    for (const Rule* rule : rules_)
        rules.push_back(descriptor(*rule));
    json invocation{
        {"executionSuccessful", execution_.empty()},
        {"exitCode", invocation_.exit_code()},
        {"startTimeUtc", time_of(invocation_.began)},
        {"endTimeUtc", time_of(invocation_.ended)},
        {"workingDirectory", {{"uri", "file://" + uri(fs::current_path().generic_string()) + "/"}}},
    };
    if (!execution_.empty())
        invocation["toolExecutionNotifications"] = execution_;
    if (!configuration_.empty())
        invocation["toolConfigurationNotifications"] = configuration_;
    const std::string folder = root_.folder().generic_string();
    json run{
        {"tool", {{"driver", {{"name", "asynclab"}, {"semanticVersion", ASYNCLAB_VERSION}, {"rules", rules}}}}},
        {"invocations", list_of(invocation)},
        {"originalUriBaseIds", {{base_id, {{"uri", "file://" + uri(folder) + (folder.ends_with('/') ? "" : "/")}}}}},
        {"columnKind", "utf16CodeUnits"},
        {"artifacts", artifacts_},
        {"results", results_},
    };
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", list_of(run)}};
}

} // namespace
} // namespace sarif_log

std::string sarif(const Invocation& invocation) {
    return sarif_log::Log(invocation).text().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace runner::formats
