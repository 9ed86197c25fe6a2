#include "sim/ptx/module.h"

#include "sim/ptx/copy_matching.h"
#include "sim/ptx/inline_sites.h"
#include "sim/ptx/register_flow.h"
#include "sim/ptx/toolkit_files.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace sim::ptx {
namespace {

constexpr size_t most_choices = 64;
constexpr size_t most_tentative = 6;
constexpr double not_in_original = 1;
constexpr double against_its_operands = 2.5;

using Key = std::tuple<uint32_t, uint32_t, uint32_t, int32_t, uint32_t, uint32_t, uint32_t, std::string_view>;

/// Works out one function: first what the text says, then the copies from the sequence of the rest.
class FunctionLines {
  public:
    FunctionLines(const Module& module, const Function& function, InlineSites& sites)
        : module_(module), function_(function), sites_(sites), possible_(function.body.size()),
          line_(function.body.size(), -1), position_(function.body.size(), -1) {}

    /// The possible call sites of each instruction; empty where the location itself says everything.
    std::vector<std::vector<int32_t>> run() {
        read();
        // Again and again: what a round settles speaks for the code that branches back to it or uses its results.
        const auto is_open = [](const std::vector<int32_t>& sites) { return sites.size() > 1; };
        for (int round = 0; round < 6 && std::any_of(possible_.begin(), possible_.end(), is_open); ++round) {
            match();
            follow_neighbours();
        }
        return std::move(possible_);
    }

  private:
    const Location& location(uint32_t i) const { return module_.locations[function_.body[i].location]; }
    Key key(uint32_t i) const {
        const Location& l = location(i);
        const Location outer = l.inlined_at < 0 ? Location{} : module_.locations[l.inlined_at];
        return {l.file,     l.line,     l.column,     l.name,
                outer.file, outer.line, outer.column, std::string_view(function_.body[i].opcode)};
    }

    int32_t own_chain(int32_t site) const { return site < 0 ? -1 : sites_.site(site).own_chain; }

    void read();
    void match();
    void follow_neighbours();
    std::vector<int32_t> distinct_lines(const std::vector<int32_t>& sites) const;
    std::vector<int32_t> likely_original(uint32_t i, const std::vector<int32_t>& sites);
    void settle(uint32_t i, int32_t site);
    void append(uint32_t i);
    void in_order(uint32_t i, bool open);
    int32_t only_site(uint32_t i) const { return possible_[i].empty() ? -1 : possible_[i][0]; }
    std::vector<SiteChoice> choices(uint32_t i, const RegisterFlow& flow) const;

    const Module& module_;
    const Function& function_;
    InlineSites& sites_;
    std::vector<std::vector<int32_t>> possible_;
    std::vector<int32_t> line_; ///< the chain of the program's own lines, where it is certain
    std::vector<uint32_t> key_;
    std::map<std::pair<uint32_t, int32_t>, std::vector<int32_t>> original_; ///< (key, site) -> where in the original
    std::vector<int32_t> position_; ///< of instructions that are part of the original sequence, else -1
    bool in_original_ = true;       ///< no copy since the last new element of the sequence
    std::vector<std::pair<uint32_t, int32_t>> tentative_; ///< since then: instructions that read like a copy, and sites
    std::map<int32_t, int32_t> last_of_user_;             ///< outermost own site -> last position within it
    int32_t length_ = 0;
};

/// One choice for each chain of the program's lines.
std::vector<int32_t> FunctionLines::distinct_lines(const std::vector<int32_t>& sites) const {
    std::vector<int32_t> result;
    for (const int32_t site : sites)
        if (std::none_of(result.begin(), result.end(),
                         [&](int32_t other) { return own_chain(other) == own_chain(site); }))
            result.push_back(site);
    return result;
}

void FunctionLines::settle(uint32_t i, int32_t site) {
    possible_[i].clear();
    if (site >= 0)
        possible_[i].push_back(site);
    line_[i] = sites_.own_chain(location(i), own_chain(site));
}

void FunctionLines::append(uint32_t i) {
    const int32_t site = only_site(i);
    original_[{key_[i], site}].push_back(length_);
    if (site >= 0 && sites_.site(site).user >= 0)
        last_of_user_[sites_.site(site).user] = length_;
    position_[i] = length_++;
}

/// Grows the original sequence by instruction `i`. One that has been there before starts a copy, unless something new
/// follows soon: then it stands in the original twice (a loop's test before and after its body).
void FunctionLines::in_order(uint32_t i, bool open) {
    if (!open && !original_.contains({key_[i], only_site(i)})) {
        for (const auto& [before, site] : tentative_) {
            settle(before, site);
            append(before);
        }
        tentative_.clear();
        append(i);
        in_original_ = true;
        return;
    }
    int32_t site = open ? -1 : only_site(i);
    if (open) {
        const int32_t before = i == 0 || possible_[i - 1].size() != 1 ? -1 : possible_[i - 1][0];
        for (const int32_t choice : possible_[i])
            if (before >= 0 && sites_.encloses(choice, before))
                site = choice;
    }
    if (in_original_ && tentative_.size() < most_tentative && (site >= 0 || !open)) {
        tentative_.emplace_back(i, site);
    } else {
        tentative_.clear();
        in_original_ = false;
    }
}

/// Printed by its last link alone, right after code of one of the possible sites, and not seen there yet: this is the
/// original, not a copy.
std::vector<int32_t> FunctionLines::likely_original(uint32_t i, const std::vector<int32_t>& sites) {
    const int32_t before = i == 0 || possible_[i - 1].size() != 1 ? -1 : possible_[i - 1][0];
    for (const int32_t site : sites)
        if (before >= 0 && sites_.encloses(site, before) && !original_.contains({key_[i], site}))
            return {site};
    return sites;
}

void FunctionLines::read() {
    std::map<Key, uint32_t> keys;
    sites_.begin_function();
    for (uint32_t i = 0; i < function_.body.size(); ++i) {
        sites_.read_to(function_.body[i].location);
        key_.push_back(keys.try_emplace(key(i), static_cast<uint32_t>(keys.size())).first->second);
        std::vector<int32_t> sites = sites_.candidates(function_.body[i].location);
        if (sites.size() > 1)
            sites = likely_original(i, sites);
        const bool open = distinct_lines(sites).size() > 1;
        if (open) {
            possible_[i] = sites;
        } else {
            settle(i, sites.empty() ? -1 : sites.back());
            sites_.set_current(only_site(i));
        }
        if (keeps_its_place(function_.body[i]))
            in_order(i, open);
    }
}

std::vector<SiteChoice> FunctionLines::choices(uint32_t i, const RegisterFlow& flow) const {
    if (position_[i] >= 0)
        return {{only_site(i), position_[i], 0}};
    std::vector<int32_t> sites = possible_[i];
    if (sites.empty())
        sites.push_back(-1);
    std::vector<int32_t> evidence;
    if (sites.size() > 1) {
        for (const uint32_t definition : flow.definitions(i))
            evidence.push_back(line_[definition]);
        for (const Operand& operand : function_.body[i].operands)
            if (operand.kind == Operand::Kind::label && operand.index < i) // back to its own loop, mostly
                evidence.push_back(line_[operand.index]);
    }
    const auto spoken_for = [&](int32_t site) {
        return std::find(evidence.begin(), evidence.end(), own_chain(site)) != evidence.end();
    };
    const bool speaks = std::any_of(sites.begin(), sites.end(), spoken_for);
    const size_t most_positions = std::max<size_t>(1, most_choices / sites.size());
    std::vector<SiteChoice> result;
    for (const int32_t site : sites) {
        SiteChoice choice{site, -1, speaks && !spoken_for(site) ? against_its_operands : 0.0};
        if (const auto known = original_.find({key_[i], site}); known != original_.end()) {
            for (size_t n = 0; n < std::min(known->second.size(), most_positions); ++n) {
                choice.position = known->second[n];
                result.push_back(choice);
            }
        } else {
            const auto last = last_of_user_.find(site < 0 ? -1 : sites_.site(site).user);
            choice.position = last == last_of_user_.end() ? length_ : last->second;
            choice.cost += not_in_original;
            result.push_back(choice);
        }
    }
    return result;
}

void FunctionLines::match() {
    const auto open = [&](uint32_t i) { return possible_[i].size() > 1; };
    const RegisterFlow flow(function_, open);
    std::vector<uint32_t> indices;
    std::vector<SequenceStep> steps;
    std::vector<bool> repeats;
    std::unordered_set<uint32_t> repeated_keys;
    std::pair<uint32_t, int32_t> last_known{~0u, -1}; // key and site of the step before, if they are certain
    for (uint32_t i = 0; i < function_.body.size(); ++i) {
        if (!keeps_its_place(function_.body[i]) || possible_[i].size() > most_choices)
            continue;
        const std::pair<uint32_t, int32_t> current{open(i) ? ~0u : key_[i], only_site(i)};
        if (!open(i) && last_known == current)
            repeated_keys.insert(key_[i]);
        last_known = current;
        repeats.push_back(repeated_keys.contains(key_[i]));
        indices.push_back(i);
        steps.push_back({choices(i, flow)});
    }
    const auto chosen = match_copies(steps, repeats);
    for (size_t t = 0; t < steps.size(); ++t) {
        const uint32_t i = indices[t];
        if (!open(i))
            continue;
        std::vector<int32_t> kept;
        for (const uint32_t choice : chosen[t])
            kept.push_back(steps[t].choices[choice].site);
        possible_[i] = distinct_lines(kept);
        if (!open(i))
            settle(i, possible_[i][0]);
    }
}

/// Arithmetic in a copy goes with the instruction that it was made for: the next one with side effects, or the one
/// before.
void FunctionLines::follow_neighbours() {
    const auto size = static_cast<int64_t>(function_.body.size());
    constexpr int64_t reach = 32;
    for (int64_t i = 0; i < size; ++i) {
        if (possible_[i].size() <= 1 || keeps_its_place(function_.body[i]))
            continue;
        const auto take = [&](int64_t other) {
            for (const int32_t site : possible_[i])
                if (line_[other] >= 0 && own_chain(site) == line_[other]) {
                    settle(static_cast<uint32_t>(i), site);
                    return true;
                }
            return false;
        };
        bool done = false;
        for (int64_t next = i + 1; !done && next < std::min(size, i + reach); ++next)
            if (keeps_its_place(function_.body[next])) {
                done = take(next);
                break;
            }
        for (int64_t before = i - 1; !done && before >= std::max<int64_t>(0, i - reach); --before)
            if (keeps_its_place(function_.body[before])) {
                take(before);
                break;
            }
        possible_[i] = distinct_lines(possible_[i]);
    }
}

void add_line(std::vector<SourceLine>& lines, SourceLine line) {
    if (std::none_of(lines.begin(), lines.end(),
                     [&](auto& other) { return other.line == line.line && other.file == line.file; }))
        lines.push_back(std::move(line));
}

} // namespace

SourceMap::SourceMap(const Module& module) : module_(module) {
    std::vector<bool> own(module.files.size());
    for (size_t i = 0; i < own.size(); ++i)
        own[i] = !module.files[i].empty() && !is_toolkit_file(module.files[i]);
    const auto place = [&](const auto& l) {
        return SourceLine{l.file < module.files.size() ? module.files[l.file] : std::string(), l.line, l.column};
    };
    const auto is_own = [&](const Location& l) { return l.line != 0 && l.file < own.size() && own[l.file]; };

    std::vector<const Function*> in_text_order;
    for (const auto& function : module.functions)
        if (!function->body.empty())
            in_text_order.push_back(function.get());
    std::sort(in_text_order.begin(), in_text_order.end(), [](auto* a, auto* b) { return a->text_line < b->text_line; });

    InlineSites sites(module, own);
    for (const Function* function : in_text_order) {
        const auto possible = FunctionLines(module, *function, sites).run();
        auto& lines = lines_[function];
        auto& chains = chains_[function];
        lines.resize(function->body.size());
        chains.resize(function->body.size());
        for (uint32_t i = 0; i < function->body.size(); ++i) {
            const Location& here = module.locations[function->body[i].location];
            if (here.file == 0)
                continue;
            std::vector<SourceLine>& chain = chains[i];
            if (here.line != 0)
                chain.push_back(place(here));
            if (possible[i].empty() && here.inlined_at >= 0)
                chain.push_back(place(module.locations[here.inlined_at]));
            for (int32_t site = sites.common(possible[i]); site >= 0; site = sites.site(site).parent)
                if (sites.site(site).line != 0)
                    chain.push_back(place(sites.site(site)));
            if (is_own(here)) {
                lines[i].push_back(place(here));
                continue;
            }
            for (const int32_t choice : possible[i])
                if (const int32_t user = sites.site(choice).user; user >= 0)
                    add_line(lines[i], place(sites.site(user)));
            if (lines[i].empty() && here.inlined_at >= 0 && is_own(module.locations[here.inlined_at]))
                lines[i].push_back(place(module.locations[here.inlined_at]));
            if (lines[i].empty() && !chain.empty())
                lines[i].push_back(chain.back()); // no file of the program: the outermost link that is known
        }
    }
}

const std::vector<SourceLine>& SourceMap::lines(const Function& function, uint32_t index) const {
    static const std::vector<SourceLine> none;
    const auto found = lines_.find(&function);
    return found == lines_.end() || index >= found->second.size() ? none : found->second[index];
}

std::vector<SourceLine> SourceMap::chain(const Function& function, uint32_t index) const {
    const auto found = chains_.find(&function);
    if (found == chains_.end() || index >= found->second.size())
        return {};
    return found->second[index];
}

} // namespace sim::ptx
