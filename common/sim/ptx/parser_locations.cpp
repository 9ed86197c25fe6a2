// .loc and its inlining information. Source: PTX ISA, "Debugging Directives: .loc".
#include "sim/ptx/parser.h"

#include <algorithm>
#include <charconv>

namespace sim::ptx {
namespace {

constexpr size_t max_chain = 400; ///< links of one inlining chain; also how far back a run of .locs is searched

} // namespace

int32_t Parser::location_name(std::string_view label) {
    const auto [found, fresh] = location_names_.try_emplace(label, static_cast<int32_t>(location_names_.size()));
    if (fresh)
        module_->location_names.emplace_back(label);
    return found->second;
}

/// The names at the labels that .loc has mentioned: lines of "LABEL:", then ".b8 95,90,…,0".
void Parser::name_functions(std::string_view strings) {
    module_->location_functions.resize(module_->location_names.size());
    std::string* name = nullptr;
    for (size_t end; !strings.empty(); strings.remove_prefix(std::min(end, strings.size()))) {
        std::string_view line = strings.substr(0, strings.find('\n'));
        end = line.size() + 1;
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
            const auto known = location_names_.find(line.substr(0, colon));
            name = known == location_names_.end() ? nullptr : &module_->location_functions[size_t(known->second)];
            line.remove_prefix(colon + 1);
        }
        if (name == nullptr || !line.starts_with(".b8"))
            continue;
        for (line.remove_prefix(3); name != nullptr && !line.empty();) {
            line.remove_prefix(std::min(line.find_first_of("0123456789"), line.size()));
            if (line.empty())
                break;
            uint8_t character = 0;
            const auto read = std::from_chars(line.data(), line.data() + line.size(), character);
            line.remove_prefix(std::max<size_t>(size_t(read.ptr - line.data()), 1));
            if (character != 0)
                name->push_back(char(character));
            else
                name = nullptr;
        }
    }
}

/// Every .loc with inlined_at becomes a location of its own, even if it equals an earlier one: SourceMap needs the
/// order in which they were printed.
uint32_t Parser::add_location(const Location& location) {
    const auto index = static_cast<uint32_t>(module_->locations.size());
    const uint32_t depth = location.inlined_at < 0 ? 0 : location_depth_[location.inlined_at] + 1;
    if (depth > max_chain)
        fail(fmt::format("a chain of inlined_at has more than {} links", max_chain));
    module_->locations.push_back(location);
    module_->location_text_lines.push_back(token_.line);
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
        const Location& given = module_->locations[index];
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
    const Location &x = module_->locations[a], &y = module_->locations[b];
    return x.file == y.file && x.line == y.line && x.column == y.column;
}

/// Line 0: the compiler merged code from several lines. Stay with the line before, if that is of the same inlining.
void Parser::keep_line(Location& location) const {
    for (auto index = static_cast<int32_t>(location_); index > 0; index = module_->locations[index].inlined_at) {
        const Location& before = module_->locations[index];
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
    if (location.inlined_at >= 0 || function_ == nullptr || function_->location == 0 ||
        location.file == module_->locations[function_->location].file)
        return;
    uint32_t known = 0;
    if (const auto same = last_inlined_at_.find({location.file, location.line, location.column});
        same != last_inlined_at_.end())
        known = same->second;
    else if (const auto file = last_inlined_.find(location.file); file != last_inlined_.end())
        known = file->second;
    if (known == 0)
        return;
    location.name = module_->locations[known].name;
    Location outer = module_->locations[module_->locations[known].inlined_at];
    outer.inlined_at = -1;
    outer.complete = false;
    location.inlined_at = static_cast<int32_t>(add_location(outer));
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
