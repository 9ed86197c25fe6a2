#include "sim/ptx/function_lines.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace sim::ptx {
namespace {

constexpr size_t most_choices = 64;
constexpr size_t most_work = 50'000'000; ///< steps of matching; some tenths of a second
constexpr size_t most_tentative = 6;
constexpr double not_in_original = 1;
constexpr double against_its_operands = 2.5;

} // namespace

std::vector<std::vector<int32_t>> FunctionLines::run() {
    read();
    // Repeats, because a settled instruction also settles the code that branches back to it or uses its results.
    const auto open = [&] {
        return std::count_if(possible_.begin(), possible_.end(), [](auto& sites) { return sites.size() > 1; });
    };
    for (auto left = open(), before = left + 1; left > 0 && left < before;) {
        match();
        follow_neighbours();
        before = std::exchange(left, open());
    }
    return std::move(possible_);
}

FunctionLines::Key FunctionLines::key(uint32_t i) const {
    const Location& l = location(i);
    const Location outer = l.inlined_at < 0 ? Location{} : code_.locations[l.inlined_at];
    return {l.file,     l.line,     l.column,     l.name,
            outer.file, outer.line, outer.column, std::string_view(code_.body[i].opcode)};
}

/// One choice for each chain of the program's lines.
std::vector<int32_t> FunctionLines::distinct_lines(const std::vector<int32_t>& sites) const {
    std::vector<int32_t> result;
    std::unordered_set<int32_t> seen;
    for (const int32_t site : sites)
        if (seen.insert(own_chain(site)).second)
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
    sequence_.push_back(i);
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
    for (uint32_t i = 0; i < code_.body.size(); ++i) {
        sites_.read_to(code_.body[i].location);
        key_.push_back(keys.try_emplace(key(i), static_cast<uint32_t>(keys.size())).first->second);
        std::vector<int32_t> sites = sites_.candidates(code_.body[i].location);
        if (sites.size() > 1)
            sites = likely_original(i, sites);
        const bool open = distinct_lines(sites).size() > 1;
        if (open) {
            possible_[i] = sites;
        } else {
            settle(i, sites.empty() ? -1 : sites.back());
            sites_.set_current(only_site(i));
        }
        if (keeps_its_place(code_.body[i]))
            in_order(i, open);
    }
}

/// At which sites the original works on the same variables and parameters as instruction `i`, or on the most similar
/// ones; all true if it does so at every site, as nothing follows then.
std::vector<bool> FunctionLines::same_origins(uint32_t i, const std::vector<int32_t>& sites,
                                              const RegisterFlow& flow) const {
    std::vector<size_t> differences(sites.size(), 0);
    if (sites.size() > 1) {
        const std::vector<uint64_t>& own = flow.origins(i);
        for (size_t s = 0; s < sites.size(); ++s) {
            const auto known = original_.find({key_[i], sites[s]});
            if (known == original_.end())
                continue; // may be anything
            const std::vector<uint64_t>& other = flow.origins(sequence_[known->second.front()]);
            std::vector<uint64_t> different;
            std::set_symmetric_difference(own.begin(), own.end(), other.begin(), other.end(),
                                          std::back_inserter(different));
            differences[s] = different.size();
        }
    }
    const size_t least = *std::min_element(differences.begin(), differences.end());
    std::vector<bool> same;
    for (const size_t difference : differences)
        same.push_back(difference == least);
    return same;
}

std::vector<SiteChoice> FunctionLines::choices(uint32_t i, const RegisterFlow& flow) {
    if (position_[i] >= 0)
        return {{only_site(i), position_[i], 0}};
    std::vector<int32_t> sites = possible_[i];
    if (sites.empty())
        sites.push_back(-1);
    std::vector<int32_t> evidence;
    if (sites.size() > 1) {
        for (const uint32_t definition : flow.definitions(i)) // in the program's own code, or a token
            if (keeps_its_place(code_.body[definition]) || sites_.own_chain(location(definition), -1) >= 0)
                evidence.push_back(line_[definition]);
        for (const Operand& operand : code_.body[i].operands)
            if (operand.kind == Operand::Kind::label && operand.index < i) // back to its own loop, mostly
                evidence.push_back(line_[operand.index]);
    }
    const auto spoken_for = [&](int32_t site) {
        return std::find(evidence.begin(), evidence.end(), own_chain(site)) != evidence.end();
    };
    const bool speaks = std::any_of(sites.begin(), sites.end(), spoken_for);
    const size_t most_positions = std::max<size_t>(1, most_choices / sites.size());
    const std::vector<bool> related = same_origins(i, sites, flow);
    std::vector<SiteChoice> result;
    for (size_t s = 0; s < sites.size(); ++s) {
        const int32_t site = sites[s];
        SiteChoice choice{site, -1, 0.0};
        if (speaks && !spoken_for(site))
            choice.cost += against_its_operands;
        if (!related[s])
            choice.cost += against_its_operands;
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
    const RegisterFlow flow(code_, open);
    std::vector<uint32_t> indices;
    std::vector<SequenceStep> steps;
    std::vector<bool> repeats;
    std::unordered_set<uint32_t> repeated_keys;
    std::pair<uint32_t, int32_t> last_known{~0u, -1}; // key and site of the step before, if they are certain
    for (uint32_t i = 0; i < code_.body.size(); ++i) {
        if (!keeps_its_place(code_.body[i]) || possible_[i].size() > most_choices)
            continue;
        const std::pair<uint32_t, int32_t> current{open(i) ? ~0u : key_[i], only_site(i)};
        if (!open(i) && last_known == current)
            repeated_keys.insert(key_[i]);
        last_known = current;
        repeats.push_back(repeated_keys.contains(key_[i]));
        indices.push_back(i);
        steps.push_back({choices(i, flow)});
    }
    size_t work = 0;
    for (size_t t = 1; t < steps.size(); ++t)
        work += steps[t].choices.size() * steps[t - 1].choices.size();
    if (work > most_work)
        return; // all the lines are shown instead
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
    const auto size = static_cast<int64_t>(code_.body.size());
    constexpr int64_t reach = 32;
    for (int64_t i = 0; i < size; ++i) {
        if (possible_[i].size() <= 1 || keeps_its_place(code_.body[i]))
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
            if (keeps_its_place(code_.body[next])) {
                done = take(next);
                break;
            }
        for (int64_t before = i - 1; !done && before >= std::max<int64_t>(0, i - reach); --before)
            if (keeps_its_place(code_.body[before])) {
                take(before);
                break;
            }
        possible_[i] = distinct_lines(possible_[i]);
    }
}

} // namespace sim::ptx
