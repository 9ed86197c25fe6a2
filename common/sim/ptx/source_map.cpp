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
constexpr double not_in_original = 1;
constexpr double against_its_operands = 2.5;

using Key = std::tuple<uint32_t, uint32_t, uint32_t, int32_t, uint32_t, uint32_t, uint32_t, std::string_view>;

/// Works out one function: first what the text says, then the copies from the sequence of the rest.
class FunctionLines {
  public:
    FunctionLines(const Module& module, const Function& function, const std::vector<bool>& own, InlineSites& sites)
        : module_(module), function_(function), own_(own), sites_(sites), possible_(function.body.size()),
          line_(function.body.size(), -1) {}

    /// The possible call sites of each instruction; empty where the location itself says everything.
    std::vector<std::vector<int32_t>> run() {
        read();
        match();
        follow_neighbours();
        return std::move(possible_);
    }

  private:
    const Location& location(uint32_t i) const { return module_.locations[function_.body[i].location]; }
    bool is_own(const Location& l) const { return l.line != 0 && l.file < own_.size() && own_[l.file]; }

    Key key(uint32_t i) const {
        const Location& l = location(i);
        const Location outer = l.inlined_at < 0 ? Location{} : module_.locations[l.inlined_at];
        return {l.file,     l.line,     l.column,     l.name,
                outer.file, outer.line, outer.column, std::string_view(function_.body[i].opcode)};
    }

    /// The program's line of a choice, as a number to compare.
    int64_t user_line(int32_t site) const {
        const int32_t user = site < 0 ? -1 : sites_.site(site).user;
        if (user < 0)
            return -1;
        return (int64_t{sites_.site(user).file} << 32) | sites_.site(user).line;
    }
    int64_t own_line(const Location& l) const { return (int64_t{l.file} << 32) | l.line; }

    void read();
    void match();
    void follow_neighbours();
    std::vector<int32_t> distinct_lines(const std::vector<int32_t>& sites) const;
    bool first_of(uint32_t i, int32_t site) const { return !original_.contains({key_[i], site}); }

    const Module& module_;
    const Function& function_;
    const std::vector<bool>& own_;
    InlineSites& sites_;
    std::vector<std::vector<int32_t>> possible_;
    std::vector<int64_t> line_; ///< the program's line where it is certain
    std::vector<uint32_t> key_;
    std::map<std::pair<uint32_t, int32_t>, int32_t> original_; ///< (key, site) -> position in the original sequence
    std::map<int32_t, int32_t> last_of_user_;                  ///< outermost own site -> last position within it
    int32_t length_ = 0;
};

/// One choice for each program line.
std::vector<int32_t> FunctionLines::distinct_lines(const std::vector<int32_t>& sites) const {
    std::vector<int32_t> result;
    for (const int32_t site : sites)
        if (std::none_of(result.begin(), result.end(),
                         [&](int32_t other) { return user_line(other) == user_line(site); }))
            result.push_back(site);
    return result;
}

void FunctionLines::read() {
    std::map<Key, uint32_t> keys;
    sites_.begin_function();
    for (uint32_t i = 0; i < function_.body.size(); ++i) {
        const Instruction& instruction = function_.body[i];
        sites_.read_to(instruction.location);
        key_.push_back(keys.try_emplace(key(i), static_cast<uint32_t>(keys.size())).first->second);
        const Location& here = location(i);
        std::vector<int32_t> sites = sites_.candidates(instruction.location);
        if (is_own(here)) {
            line_[i] = own_line(here);
            sites.resize(std::min<size_t>(sites.size(), 1));
        } else if (sites.size() > 1) {
            // Printed by its last link alone. Right after the code of one of the sites, and not seen there yet: this
            // is the original, not a copy.
            const int32_t before = i == 0 || possible_[i - 1].size() != 1 ? -1 : possible_[i - 1][0];
            for (const int32_t site : sites)
                if (before >= 0 && sites_.encloses(site, before) && first_of(i, site)) {
                    sites = {site};
                    break;
                }
        }
        const std::vector<int32_t> lines = distinct_lines(sites);
        if (lines.size() <= 1 && !is_own(here))
            line_[i] = lines.empty() ? -1 : user_line(lines[0]);
        possible_[i] =
            lines.size() <= 1 ? std::vector<int32_t>(sites.rbegin(), sites.rbegin() + !sites.empty()) : sites;
        if (possible_[i].size() == 1)
            sites_.set_current(possible_[i][0]);
        if (possible_[i].size() > 1 || !keeps_its_place(instruction))
            continue;
        const int32_t site = possible_[i].empty() ? -1 : possible_[i][0];
        if (original_.try_emplace({key_[i], site}, length_).second) {
            if (site >= 0 && sites_.site(site).user >= 0)
                last_of_user_[sites_.site(site).user] = length_;
            ++length_;
        }
    }
}

void FunctionLines::match() {
    if (std::none_of(possible_.begin(), possible_.end(), [](auto& p) { return p.size() > 1; }))
        return;
    std::vector<uint32_t> indices;
    std::vector<SequenceStep> steps;
    std::vector<bool> repeats;
    std::unordered_set<uint32_t> repeated_keys;
    const RegisterFlow flow(function_, [&](uint32_t i) { return possible_[i].size() > 1; });
    uint32_t last_known = ~0u; // key of the step before, if that is certain
    for (uint32_t i = 0; i < function_.body.size(); ++i) {
        if (!keeps_its_place(function_.body[i]) || possible_[i].size() > most_choices)
            continue;
        SequenceStep step;
        const std::vector<int64_t> evidence = [&] {
            std::vector<int64_t> lines;
            if (possible_[i].size() > 1)
                for (const uint32_t definition : flow.definitions(i))
                    lines.push_back(line_[definition]);
            return lines;
        }();
        const bool speaks = std::any_of(possible_[i].begin(), possible_[i].end(), [&](int32_t site) {
            return std::find(evidence.begin(), evidence.end(), user_line(site)) != evidence.end();
        });
        for (const int32_t site : possible_[i]) {
            SiteChoice choice;
            choice.site = site;
            const auto known = original_.find({key_[i], site});
            if (known != original_.end()) {
                choice.position = known->second;
            } else {
                const auto last = last_of_user_.find(sites_.site(site).user);
                choice.position = last == last_of_user_.end() ? length_ : last->second;
                choice.cost += not_in_original;
            }
            if (speaks && std::find(evidence.begin(), evidence.end(), user_line(site)) == evidence.end())
                choice.cost += against_its_operands;
            step.choices.push_back(choice);
        }
        if (step.choices.empty()) {
            const auto known = original_.find({key_[i], -1});
            step.choices.push_back({-1, known == original_.end() ? -1 : known->second, 0});
        }
        const bool known = possible_[i].size() <= 1;
        if (known && last_known == key_[i])
            repeated_keys.insert(key_[i]);
        last_known = known ? key_[i] : ~0u;
        repeats.push_back(repeated_keys.contains(key_[i]));
        indices.push_back(i);
        steps.push_back(std::move(step));
    }
    const auto chosen = match_copies(steps, repeats);
    for (size_t t = 0; t < steps.size(); ++t) {
        const uint32_t i = indices[t];
        if (possible_[i].size() <= 1)
            continue;
        std::vector<int32_t> kept;
        for (const uint32_t choice : chosen[t])
            kept.push_back(steps[t].choices[choice].site);
        possible_[i] = distinct_lines(kept);
        if (possible_[i].size() == 1)
            line_[i] = user_line(possible_[i][0]);
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
                if (line_[other] >= 0 && user_line(site) == line_[other]) {
                    possible_[i] = {site};
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
        const auto possible = FunctionLines(module, *function, own, sites).run();
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
            int32_t site = possible[i].empty() ? -1 : possible[i][0];
            if (site < 0 && here.inlined_at >= 0)
                chain.push_back(place(module.locations[here.inlined_at]));
            for (; site >= 0; site = sites.site(site).parent)
                if (sites.site(site).line != 0)
                    chain.push_back(place(sites.site(site)));
            if (is_own(here)) {
                lines[i].push_back(place(here));
                continue;
            }
            for (const int32_t choice : possible[i])
                if (sites.site(choice).user >= 0)
                    lines[i].push_back(place(sites.site(sites.site(choice).user)));
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
