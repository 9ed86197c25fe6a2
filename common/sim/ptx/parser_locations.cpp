// .loc and its inlining information. Source: PTX ISA, "Debugging Directives: .loc".
#include "sim/ptx/parser.h"

#include <algorithm>
#include <charconv>

namespace sim::ptx {
namespace {

constexpr size_t max_chain = 400; ///< links of one inlining chain; also how far back a run of .locs is searched

std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
}

/// Lines of ".b8 95,90,…,0", as far as the next label.
std::string string_of(std::string_view lines) {
    std::string text;
    while (!lines.empty()) {
        std::string_view line = take_line(lines);
        if (line.find(':') != line.npos)
            break;
        if (!line.starts_with(".b8"))
            continue;
        for (line.remove_prefix(3);;) {
            line.remove_prefix(std::min(line.find_first_of("0123456789"), line.size()));
            if (line.empty())
                break;
            uint8_t character = 0;
            const auto read = std::from_chars(line.data(), line.data() + line.size(), character);
            line.remove_prefix(std::max<size_t>(size_t(read.ptr - line.data()), 1));
            if (character == 0)
                return text;
            text.push_back(char(character));
        }
    }
    return text;
}

} // namespace

std::string ModuleNames::string_at(std::string_view label) {
    if (!labels_) {
        labels_.emplace();
        for (std::string_view rest : strings)
            while (!rest.empty()) {
                const std::string_view line = take_line(rest);
                const size_t colon = line.starts_with('.') ? line.npos : line.find(':');
                if (colon == line.npos)
                    continue;
                const char* const behind = line.data() + colon + 1;
                labels_->try_emplace(line.substr(0, colon), behind, size_t(rest.data() + rest.size() - behind));
            }
    }
    const auto found = labels_->find(label);
    return found == labels_->end() ? "" : string_of(found->second);
}

int32_t Parser::location_name(std::string_view label) {
    const auto [found, fresh] = location_names_.try_emplace(label, static_cast<int32_t>(location_names_.size()));
    if (fresh)
        code_->inlined.push_back(names_.string_at(label));
    return found->second;
}

/// Every .loc with inlined_at becomes a location of its own, even if it equals an earlier one: SourceMap needs the
/// order in which they were printed.
uint32_t Parser::add_location(const Location& location) {
    const auto index = static_cast<uint32_t>(code_->locations.size());
    const uint32_t depth = location.inlined_at < 0 ? 0 : location_depth_[location.inlined_at] + 1;
    if (depth > max_chain)
        fail(fmt::format("a chain of inlined_at has more than {} links", max_chain));
    code_->locations.push_back(location);
    location_depth_.push_back(depth);
    return index;
}

uint32_t Parser::plain_location(const Location& location) {
    const auto [found, fresh] = plain_locations_.try_emplace({location.file, location.line, location.column}, 0);
    if (fresh)
        found->second = add_location(location);
    return found->second;
}

/// The location that a new one is inlined at: nvcc prints the outer ones immediately before, so look there.
uint32_t Parser::enclosing_location(const Location& wanted) {
    for (size_t back = 1; back <= run_.size() && back <= max_chain; ++back) {
        const uint32_t index = run_[run_.size() - back];
        const Location& given = code_->locations[index];
        if (given.file == wanted.file && given.line == wanted.line && given.column == wanted.column)
            return index;
    }
    Location outer = wanted;
    outer.complete = false;
    return add_location(outer);
}

bool Parser::same_place(int32_t a, int32_t b) const {
    if (a < 0 || b < 0)
        return a == b;
    const Location &x = code_->locations[a], &y = code_->locations[b];
    return x.file == y.file && x.line == y.line && x.column == y.column;
}

/// Line 0: the compiler merged code from several lines. Stay with the line before, if that is of the same inlining.
void Parser::keep_line(Location& location) const {
    for (auto index = static_cast<int32_t>(location_); index > 0; index = code_->locations[index].inlined_at) {
        const Location& before = code_->locations[index];
        if (before.file != location.file || before.line == 0 || !before.complete ||
            !same_place(before.inlined_at, location.inlined_at))
            continue;
        location = before;
        return;
    }
}

/// After a .loc with line 0, nvcc leaves out inlined_at once. Code of another file than the function's own must have
/// been inlined, as that file's code was before: at the same place, but perhaps as another copy.
void Parser::restore_inlining(Location& location) {
    if (location.inlined_at >= 0 || code_->location == 0 || location.file == code_->locations[code_->location].file)
        return;
    uint32_t known = 0;
    if (const auto same = last_inlined_at_.find({location.file, location.line, location.column});
        same != last_inlined_at_.end())
        known = same->second;
    else if (const auto file = last_inlined_.find(location.file); file != last_inlined_.end())
        known = file->second;
    if (known == 0)
        return;
    location.name = code_->locations[known].name;
    Location outer = code_->locations[code_->locations[known].inlined_at];
    outer.inlined_at = -1;
    outer.complete = false;
    location.inlined_at = static_cast<int32_t>(add_location(outer));
}

/// It belongs to the function that follows, and is parsed with its body.
void Parser::note_loc() {
    if (token_.kind == Token::Kind::integer)
        locs_.push_back({offset(token_), token_.line});
    while (token_.kind == Token::Kind::integer || token_.kind == Token::Kind::word || token_.is(',') || token_.is('+'))
        advance();
}

/// .loc FILE LINE COLUMN [, function_name LABEL [+ N] [, inlined_at FILE LINE COLUMN]]
void Parser::parse_loc() {
    if (run_ended_)
        run_.clear();
    run_ended_ = false;
    const auto triple = [&] {
        Location place;
        place.file = static_cast<uint32_t>(expect_unsigned("the file number of .loc", 100'000));
        place.line = static_cast<uint32_t>(expect_unsigned("the line of .loc", 1u << 30));
        if (token_.kind == Token::Kind::integer)
            place.column = static_cast<uint32_t>(expect_unsigned("the column of .loc", 1u << 30));
        return place;
    };
    Location location = triple();
    while (accept(',')) {
        const std::string_view attribute = expect_word("function_name or inlined_at");
        if (attribute == "function_name") {
            location.name = location_name(expect_word("a label"));
            if (accept('+'))
                expect_integer("an offset");
        } else if (attribute == "inlined_at") {
            location.inlined_at = static_cast<int32_t>(enclosing_location(triple()));
        } else {
            fail(fmt::format("this parser does not know '{}' in .loc", attribute));
        }
    }
    if (location.line == 0)
        keep_line(location);
    if (location.line == 0 && location.inlined_at < 0 && location_ != 0)
        return; // nothing but a file: what follows stays with the line before
    restore_inlining(location);
    location_ = location.inlined_at < 0 ? plain_location(location) : add_location(location);
    if (location.inlined_at >= 0)
        last_inlined_[location.file] = last_inlined_at_[{location.file, location.line, location.column}] = location_;
    run_.push_back(location_);
}

} // namespace sim::ptx
