#include "runner/translation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/args.h>

#include "base/text.h"
#include "runner/language.h"
#include "sim/rules/rule.h"

namespace runner {

namespace {

struct Entry {
    std::string_view english, other;
};
constexpr Entry entries[] = {
#include "translations.inc"
};

using Holes = std::vector<std::string_view>;

constexpr size_t telling = 16; // fewer characters than these may stand in a sentence about something else
constexpr std::string_view sentence_end = ". ", list_end = "; ";

/// A text with holes.
class Pattern {
  public:
    explicit Pattern(const Entry& entry) : other_(entry.other) {
        std::string_view rest = base::trimmed(entry.english);
        for (size_t open; (open = rest.find('{')) != rest.npos && rest.find('}', open) != rest.npos;) {
            add(rest.substr(0, open));
            const std::string_view name = rest.substr(open + 1, rest.find('}', open) - open - 1);
            const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
            order_.push_back(digits ? size_t(name[0] - '0') : order_.size());
            rest.remove_prefix(open + name.size() + 2);
        }
        add(rest);
    }
    size_t literal() const { return literal_; }
    bool has_holes() const { return pieces_.size() > 1; }

    /// What the holes hold in `text`, by their numbers.
    std::optional<Holes> match(std::string_view text) const {
        if (!text.starts_with(pieces_[0]))
            return std::nullopt;
        text.remove_prefix(pieces_[0].size());
        Holes found;
        if (!has_holes() ? !text.empty() : !fill(text, 1, found))
            return std::nullopt;
        Holes holes(order_.empty() ? 0 : std::ranges::max(order_) + 1);
        for (size_t i = 0; i < found.size(); ++i)
            holes[order_[i]] = found[i];
        return holes;
    }
    std::string filled(const std::vector<std::string>& holes) const {
        fmt::dynamic_format_arg_store<fmt::format_context> arguments;
        for (const auto& hole : holes)
            arguments.push_back(hole);
        return fmt::vformat(other_, arguments);
    }

  private:
    void add(std::string_view piece) {
        pieces_.push_back(piece);
        literal_ += piece.size();
    }
    bool fill(std::string_view text, size_t piece, Holes& holes) const {
        const bool last = piece + 1 == pieces_.size();
        const std::string_view wanted = pieces_[piece];
        if (last && !text.ends_with(wanted))
            return false;
        for (size_t at = last ? text.size() - wanted.size() : text.find(wanted); at != text.npos;
             at = last ? text.npos : text.find(wanted, at + 1)) {
            if (text.substr(0, at).find(sentence_end) != text.npos)
                return false;
            holes.push_back(text.substr(0, at));
            if (last || fill(text.substr(at + wanted.size()), piece + 1, holes))
                return true;
            holes.pop_back();
        }
        return false;
    }

    std::vector<std::string_view> pieces_;
    std::vector<size_t> order_;
    size_t literal_ = 0;
    std::string_view other_;
};

class Translator {
  public:
    Translator() {
        for (const Entry& entry : entries) {
            exact_.emplace(base::trimmed(entry.english), entry.other);
            const bool for_values = entry.english.find("{:") != entry.english.npos; // "{:.1f}"
            if (Pattern pattern(entry); pattern.has_holes() && !for_values)
                patterns_.push_back(std::move(pattern));
        }
        std::ranges::stable_sort(patterns_, std::greater{}, &Pattern::literal);
    }

    std::optional<std::string_view> exactly(std::string_view text) const {
        const auto found = exact_.find(base::trimmed(text));
        return found == exact_.end() ? std::nullopt : std::optional(found->second);
    }

    /// A whole phrase or sentence.
    std::optional<std::string> phrase(std::string_view text) const {
        if (const auto found = exactly(text))
            return std::string(*found);
        for (const Pattern& pattern : patterns_)
            if (const auto holes = pattern.match(base::trimmed(text)))
                if (const auto inside = parts(*holes, pattern.literal() < telling))
                    return pattern.filled(*inside);
        return std::nullopt;
    }

    /// One line: sentences, or a list of phrases. What is not known is handed to `unknown`, and stays.
    template <class F>
    std::string line(std::string_view text, F&& unknown) const {
        if (auto whole = phrase(text))
            return *whole;
        const std::string_view separator = text.find(sentence_end) != text.npos ? sentence_end : list_end;
        const std::vector<size_t> ends = ends_of_parts(text, separator);
        if (ends.size() == 1) {
            unknown(text);
            return std::string(text);
        }
        std::string out;
        for (size_t from = 0, first = 0; first < ends.size();) {
            size_t last = ends.size(); // the longest run of parts that is known
            std::optional<std::string> known;
            while (!known && last-- > first)
                known = phrase(part(text, from, ends[last], separator));
            if (!known)
                known = one_part(part(text, from, ends[last = first], separator), unknown);
            if (!out.empty())
                out += separator == list_end ? "；" : out.ends_with("。") ? "" : " ";
            out += *known;
            from = ends[last] + separator.size();
            first = last + 1;
        }
        return out;
    }

  private:
    static std::vector<size_t> ends_of_parts(std::string_view text, std::string_view separator) {
        std::vector<size_t> ends;
        for (size_t at = 0; (at = text.find(separator, at)) != text.npos; at += separator.size())
            ends.push_back(at);
        ends.push_back(text.size());
        return ends;
    }
    static std::string_view part(std::string_view text, size_t from, size_t end, std::string_view separator) {
        return text.substr(from, end - from + (separator == sentence_end && end < text.size()));
    }
    template <class F>
    std::string one_part(std::string_view text, F&& unknown) const {
        if (text.find(sentence_end) == text.npos && text.find(list_end) != text.npos)
            return line(text, unknown);
        unknown(text);
        return std::string(text);
    }
    /// `all`: only if no hole stays English.
    std::optional<std::vector<std::string>> parts(const Holes& holes, bool all) const {
        std::vector<std::string> out;
        for (const std::string_view hole : holes) {
            bool known = true;
            out.push_back(hole.empty() ? "" : line(hole, [&](std::string_view) { known = false; }));
            if (all && !known && base::trimmed(hole).find(' ') != hole.npos)
                return std::nullopt;
        }
        return out;
    }

    std::map<std::string_view, std::string_view> exact_;
    std::vector<Pattern> patterns_;
};

const Translator& translator() {
    static const Translator one;
    return one;
}

template <class F>
std::string in_chinese(std::string_view text, F&& unknown) {
    std::string out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::string_view words = base::trimmed(line);
        out += line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
        out += words.empty() ? "" : translator().line(words, unknown);
        out += text.empty() ? "" : "\n";
    }
    return out;
}

} // namespace

std::string translated(std::string_view text) {
    return language().empty() ? std::string(text) : in_chinese(text, [](std::string_view) {});
}

sim::hazards::Finding translated(sim::hazards::Finding finding) {
    const auto translate = [](sim::hazards::Place& place) {
        place.action = translated(place.action);
        place.threads = sim::hazards::ThreadSet(translated(place.threads.text()));
    };
    translate(finding.first);
    std::ranges::for_each(finding.others, translate);
    finding.message = translated(finding.message);
    const bool general = finding.rule && finding.remedy == finding.rule->remedy.text();
    const std::string known = general ? std::string(wording(std::string(finding.rule->name) + ".remedy")) : "";
    finding.remedy = general && !known.ends_with(".remedy") ? known : translated(finding.remedy);
    return finding;
}

std::string_view wording(std::string_view english) {
    return language().empty() ? english : translator().exactly(english).value_or(english);
}

std::string untranslated(std::string_view text) {
    std::string all;
    in_chinese(text, [&](std::string_view unknown) {
        if (unknown.find(' ') != unknown.npos)
            all += std::string(unknown) + "\n";
    });
    return all;
}

} // namespace runner
