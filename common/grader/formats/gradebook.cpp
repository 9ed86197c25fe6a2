#include "grader/formats/gradebook.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/problem.h"
#include "base/text.h"
#include "grader/formats/explain.h"
#include "grader/formats/results.h"
#include "grader/result/text.h"

namespace grader {
namespace {

using base::trimmed;

constexpr std::string_view mine = "asynclab: "; ///< how comments begin that may be renewed

class Filler {
  public:
    Filler(const Gradebook& book, std::string_view exported, const FillOptions& options)
        : book_(book), options_(options) {
        if (exported.starts_with("\xef\xbb\xbf")) {
            mark_ = exported.substr(0, 3);
            exported.remove_prefix(3);
        }
        rows_ = base::csv_rows(exported);
        if (!rows_.empty())
            for (const auto& field : rows_[0].fields)
                header_.emplace_back(trimmed(field.value));
        if (std::none_of(book_.ids.begin(), book_.ids.end(),
                         [&](const auto name) { return find(name) < header_.size(); }))
            throw base::Problem{fmt::format("this is no export of {}: it has none of the columns {}", book_.platform,
                                            fmt::join(book_.ids, ", ")),
                                "export with commas, and with the platform's language set to English"};
        column_ = column();
    }

    Written fill(const std::vector<Result>& results) {
        const auto [by_id, ambiguous] = results_by_id(results);
        std::set<const Result*> used;
        Written filled{};
        double most = 0; // Canvas: in a row of its own
        for (size_t i = 1; i < rows_.size(); ++i) {
            auto& fields = rows_[i].fields;
            if (fields.size() <= column_)
                continue;
            if (trimmed(fields[0].value) == "Points Possible") {
                most = std::strtod(fields[column_].value.c_str(), nullptr);
                continue;
            }
            const std::string who(trimmed(fields[0].value));
            std::set<const Result*> own;
            std::string unclear;
            const auto ids = ids_in(fields);
            for (const auto& id : ids) {
                if (ambiguous.contains(id))
                    unclear = id;
                if (const auto found = by_id.find(id); found != by_id.end())
                    own.insert(found->second);
            }
            if (own.empty()) {
                if (!ids.empty())
                    filled.remarks.push_back(fmt::format("no result for {}: left as it was", who));
                continue;
            }
            if (own.size() > 1) {
                std::vector<std::string> names;
                for (const auto* one : own)
                    names.push_back(one->submission);
                std::ranges::sort(names);
                filled.remarks.push_back(
                    fmt::format("the ids of {} are those of {}: left as it was", who, fmt::join(names, " and ")));
            }
            if (own.size() > 1 || !unclear.empty()) {
                used.insert(own.begin(), own.end());
                continue;
            }
            const Result* result = *own.begin();
            used.insert(result);
            if (const size_t at = find(book_.maximum); at < fields.size())
                most = std::strtod(fields[at].value.c_str(), nullptr);
            if (is_undecided(*result)) {
                filled.remarks.push_back(
                    fmt::format("{} has no score, since these files name no lab: {}; left as it was",
                                result->submission, fmt::join(result->unrecognised, ", ")));
                continue;
            }
            if (!is_excused(*result))
                fields[column_].raw = number(score(*result, most));
            else if (!book_.excused.empty())
                fields[column_].raw = book_.excused;
            else
                filled.remarks.push_back(fmt::format("{} is excused, which {} knows no grade for: left as it was",
                                                     result->submission, book_.platform));
            // Keep a person's comment.
            if (const size_t at = find(book_.comment);
                at < fields.size() && (trimmed(fields[at].value).empty() || fields[at].value.starts_with(mine)))
                fields[at].raw = base::csv_field(base::plain(summary(*result)));
        }
        for (const auto& result : results)
            if (!used.contains(&result))
                filled.remarks.push_back(result.submission + ": in no row");
        for (const auto& id : ambiguous)
            filled.remarks.push_back(id + ": two submissions, not filled in");
        filled.text = mark_ + base::csv_text(rows_);
        return filled;
    }

  private:
    static std::string lower(std::string text) {
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
        return text;
    }

    size_t find(std::string_view name) const {
        return static_cast<size_t>(std::find(header_.begin(), header_.end(), name) - header_.begin());
    }

    bool is_undecided(const Result& result) const {
        const LabResult* lab = options_.lab.empty() ? nullptr : result.of(options_.lab);
        return lab ? result.undecided(*lab) : result.undecided();
    }

    // Of everything that would count here: a zero would say something else.
    bool is_excused(const Result& result) const {
        const auto counts = [&](const LabResult& lab) { return options_.lab.empty() || lab.lab == options_.lab; };
        return std::ranges::any_of(result.labs, counts) &&
               std::ranges::all_of(result.labs, [&](const auto& lab) { return !counts(lab) || lab.excused; });
    }

    size_t column() const {
        std::string names;
        std::vector<size_t> could_be;
        for (size_t i = 0; i < header_.size(); ++i) {
            const std::string& name = header_[i];
            // Canvas adds an assignment's number: "Labs (12345)".
            const std::string bare = name.substr(0, name.rfind(" ("));
            if (!options_.column.empty()
                    ? name == options_.column || bare == options_.column
                    : !name.empty() && std::find(book_.known.begin(), book_.known.end(), name) == book_.known.end()) {
                could_be.push_back(i);
                names += (names.empty() ? "" : ", ") + name;
            }
        }
        if (could_be.size() == 1)
            return could_be[0];
        if (could_be.empty() && !options_.column.empty())
            throw base::Problem{fmt::format("the export has no column '{}'", options_.column),
                                "name it as its first line does"};
        throw base::Problem{could_be.empty() ? fmt::format("this is no export of {}", book_.platform)
                                             : "the export has several columns for grades: " + names,
                            "choose one: --column NAME"};
    }

    // The values of the columns that name students.
    std::set<std::string> ids_in(const std::vector<base::CsvField>& fields) const {
        std::set<std::string> ids;
        for (const auto name : book_.ids) {
            const size_t at = find(name);
            std::string id = at < fields.size() ? lower(std::string(trimmed(fields[at].value))) : "";
            if (name == "Identifier") // "Participant 101", in the site's language
                id.erase(0, id.find_last_not_of("0123456789") + 1);
            if (!id.empty())
                ids.insert(id);
        }
        return ids;
    }

    struct ById {
        std::map<std::string, const Result*> results;
        std::set<std::string> ambiguous; ///< ids of several
    };
    ById results_by_id(const std::vector<Result>& results) const {
        ById all;
        for (const auto& result : results)
            for (const auto& id : ids_of(result))
                if (const auto [known, is_new] = all.results.emplace(id, &result); !is_new && known->second != &result)
                    all.ambiguous.insert(id);
        std::set<std::string> in_rows;
        for (const auto& row : rows_)
            in_rows.merge(ids_in(row.fields));
        // "ann" and "ann-2" were both handed in as "ann", unless a student really has the id "ann-2".
        for (const auto& [id, result] : all.results)
            if (const size_t dash = id.find_last_not_of("0123456789");
                dash != id.npos && dash > 0 && id[dash] == '-' && dash + 1 < id.size() && !in_rows.contains(id))
                if (const auto first = all.results.find(id.substr(0, dash));
                    first != all.results.end() && first->second->students.empty() && result->students.empty())
                    all.ambiguous.insert(first->first);
        return all;
    }

    static std::vector<std::string> ids_of(const Result& result) {
        std::vector<std::string> ids;
        auto add = [&](const std::string& id) {
            if (!id.empty())
                ids.push_back(lower(id));
        };
        for (const auto& student : result.students) {
            add(student.id);
            add(student.email);
        }
        add(result.submission);
        return ids;
    }

    // "asynclab: 17 of 30 points; 01: 15 of 15; 03: 2 of 15 (missing-wait)". For the student to read.
    std::string summary(const Result& whole) const {
        const Result result = for_students(whole);
        std::string text;
        for (const auto& lab : result.labs) {
            if (!options_.lab.empty() && lab.lab != options_.lab)
                continue;
            std::string why = lab.person;
            for (const auto& item : lab.cases)
                if (why.empty() && !item.passed)
                    why = outcome_of(item);
            text += fmt::format("; {}: {} of {}{}", lab.number(), number(lab.score), number(lab.out_of),
                                why.empty() ? "" : " (" + why + ")");
        }
        return fmt::format("{}{} of {} points{}", mine, number(result.score), number(result.possible), text);
    }

    double score(const Result& result, double most) const {
        double score = result.score, possible = result.possible;
        if (const LabResult* lab = options_.lab.empty() ? nullptr : result.of(options_.lab)) {
            score = lab->score;
            possible = lab->out_of;
        }
        return most > 0 && possible > 0 ? score / possible * most : score;
    }

    Gradebook book_;
    FillOptions options_;
    std::string mark_;
    std::vector<base::CsvRow> rows_;
    std::vector<std::string> header_;
    size_t column_ = 0;
};

} // namespace

std::vector<std::string> header_of(std::string_view exported) {
    std::vector<std::string> names;
    if (const auto rows = base::csv_rows(exported); !rows.empty())
        for (const auto& field : rows[0].fields)
            names.push_back(field.value);
    return names;
}

Written fill(const Gradebook& book, const Source& source) {
    return Filler(book, source.exported, source.fill).fill(source.results);
}

} // namespace grader
