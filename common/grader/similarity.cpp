#include "grader/similarity.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"
#include "grader/result/text.h"

namespace grader {

using base::is_word;
namespace {

constexpr size_t gram = 14, window = 11; // 14 + 11 - 1 tokens in common are always seen
constexpr size_t enough = 4;             // fingerprints in common; fewer are chance

struct Token {
    char kind; ///< name, number, text, or the character itself
    int line;
};

// The tokens that remain without names, values, comments, directives and blanks.
std::vector<Token> tokens(const std::string& text) {
    std::vector<Token> list;
    int line = 1;
    bool line_begins = true;
    for (size_t i = 0; i < text.size();) {
        const auto skip_to = [&](std::string_view end) {
            const size_t found = std::min(text.find(end, i), text.size());
            line += static_cast<int>(std::count(text.begin() + static_cast<ptrdiff_t>(i),
                                                text.begin() + static_cast<ptrdiff_t>(found), '\n'));
            i = std::min(found + (end == "\n" ? 0 : end.size()), text.size());
        };
        const char c = text[i];
        if (c == '\n') {
            ++line, ++i;
            line_begins = true;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
            continue;
        }
        if ((c == '#' && line_begins) || text.compare(i, 2, "//") == 0) {
            skip_to("\n");
            continue;
        }
        if (text.compare(i, 2, "/*") == 0) {
            i += 2;
            skip_to("*/");
            continue;
        }
        line_begins = false;
        if (c == '"' || c == '\'') {
            for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i)
                i += text[i] == '\\';
            i = std::min(i + 1, text.size());
            list.push_back({'"', line});
        } else if (is_word(c)) {
            const bool digit = std::isdigit(static_cast<unsigned char>(c));
            while (i < text.size() && (is_word(text[i]) || (digit && (text[i] == '.' || text[i] == '\''))))
                ++i;
            list.push_back({digit ? '0' : 'a', line});
        } else {
            list.push_back({c, line});
            ++i;
        }
    }
    return list;
}

using Prints = std::map<uint64_t, int>; // hash -> line where it first is

Prints fingerprints(const std::string& text) {
    const auto list = tokens(text);
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i + gram <= list.size(); ++i) {
        uint64_t hash = 0xcbf29ce484222325;
        for (size_t j = i; j < i + gram; ++j)
            hash = (hash ^ static_cast<unsigned char>(list[j].kind)) * 0x100000001b3;
        hashes.push_back(hash ^ hash >> 29);
    }
    Prints prints;
    for (size_t i = 0; i < hashes.size(); ++i) { // the least of each window, the last one of several
        const size_t end = std::min(i + window, hashes.size());
        size_t least = i;
        for (size_t j = i; j < end; ++j)
            if (hashes[j] <= hashes[least])
                least = j;
        prints.try_emplace(hashes[least], list[least].line);
        if (end == hashes.size())
            break;
    }
    return prints;
}

} // namespace

std::vector<Pair> similar(const std::vector<Result>& results, const std::map<std::string, std::string>& skeletons,
                          double at_least) {
    std::map<std::string, std::vector<std::pair<std::string, Prints>>> by_lab;
    for (const auto& result : results)
        for (const auto& lab : result.labs)
            if (lab.handed_in)
                by_lab[lab.lab].emplace_back(result.submission, fingerprints(lab.handed_in->source));
    std::vector<Pair> pairs;
    for (auto& [lab, all] : by_lab) {
        const auto skeleton = skeletons.find(lab);
        const Prints given = skeleton == skeletons.end() ? Prints{} : fingerprints(skeleton->second);
        std::map<uint64_t, size_t> common;
        for (const auto& [name, prints] : all)
            for (const auto& [hash, line] : prints)
                ++common[hash];
        // A short exercise has few solutions: a passage that a third of a class writes is not evidence of copying.
        const size_t most = std::max<size_t>(2, all.size() / 3);
        for (auto& [name, prints] : all)
            std::erase_if(prints,
                          [&](const auto& print) { return given.contains(print.first) || common[print.first] > most; });
        for (size_t a = 0; a < all.size(); ++a)
            for (size_t b = a + 1; b < all.size(); ++b) {
                const auto& [first, of_first] = all[a];
                const auto& [second, of_second] = all[b];
                std::set<std::pair<int, int>> lines;
                size_t shared = 0;
                for (const auto& [hash, line] : of_first)
                    if (const auto same = of_second.find(hash); same != of_second.end()) {
                        ++shared;
                        lines.emplace(line, same->second);
                    }
                const double share =
                    static_cast<double>(shared) /
                    static_cast<double>(std::max<size_t>(1, std::min(of_first.size(), of_second.size())));
                if (shared < enough || share < at_least)
                    continue;
                Pair pair{lab, first, second, share, shared * (window + 1) / 2, {lines.begin(), lines.end()}};
                pair.lines.resize(std::min<size_t>(pair.lines.size(), 8));
                pairs.push_back(std::move(pair));
            }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.share > b.share; });
    return pairs;
}

std::string csv(const std::vector<Pair>& pairs) {
    std::string text = base::csv_line({"lab", "submission", "submission", "alike percent", "about tokens", "lines"});
    for (const auto& pair : pairs) {
        std::string lines;
        for (const auto& [a, b] : pair.lines)
            lines += fmt::format("{}{}~{}", lines.empty() ? "" : "; ", a, b);
        text += base::csv_line({pair.lab, pair.first, pair.second, number(100 * pair.share).substr(0, 5),
                                std::to_string(pair.tokens), lines});
    }
    return text;
}

std::vector<Pair> pairs_from(const std::string& csv) {
    std::vector<Pair> pairs;
    const auto rows = base::csv_rows(csv);
    for (size_t i = 1; i < rows.size(); ++i) // after the header
        if (const auto& fields = rows[i].fields; fields.size() > 3)
            pairs.push_back({.lab = fields[0].value,
                             .first = fields[1].value,
                             .second = fields[2].value,
                             .share = std::strtod(fields[3].value.c_str(), nullptr) / 100});
    return pairs;
}

} // namespace grader
