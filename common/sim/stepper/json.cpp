#include "sim/stepper/json.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/json.h"
#include "sim/report/text.h"
#include "sim/rules/rule.h"

namespace sim::stepper {

using Json = nlohmann::json;

namespace {

Json flat(const auto& items, auto... members) {
    Json all = Json::array();
    for (const auto& item : items)
        (all.push_back(item.*members), ...);
    return all;
}

Json of(const WarpState& warp) {
    Json all = {warp.block, warp.warp};
    for (const FragmentState& one : warp.fragments)
        all.push_back({one.mask, one.place == none ? -1 : int64_t(one.place), uint32_t(one.waits),
                       one.what == none ? -1 : int64_t(one.what), one.ask});
    return all;
}

/// JavaScript's numbers are exact up to here; larger ones are texts.
constexpr int64_t exact = int64_t{1} << 53;

Json of(uint64_t raw, const Register& held) {
    if (held.kind == Register::Kind::floating && held.bytes == 4)
        return fmt::format("{}", std::bit_cast<float>(uint32_t(raw)));
    if (held.kind == Register::Kind::floating && held.bytes == 8)
        return fmt::format("{}", std::bit_cast<double>(raw));
    const int64_t value = held.bytes == 4 ? int32_t(raw) : held.bytes == 2 ? int16_t(raw) : int64_t(raw);
    return value >= -exact && value <= exact ? Json(value) : Json(fmt::format("{:#x}", raw));
}

/// [register, written, values…]; of a row: [register, written + 2, the first, the difference if there is one].
Json of(const Values& held, const Register& where) {
    Json all = {held.reg, uint32_t(held.written) + 2 * uint32_t(held.row)};
    for (const uint64_t value : held.values)
        all.push_back(of(value, where));
    return all;
}

/// Leaves out fields that have their usual value, which model.js knows.
Json of(const Step& step, const Recording& recording) {
    Json one{{"kind", kinds[size_t(step.kind)]}};
    const auto put = [&](const char* name, uint64_t value, uint64_t usual) {
        if (value != usual)
            one[name] = value == none ? -1 : int64_t(value);
    };
    put("block", step.block, 0);
    put("warp", step.warp, none);
    put("mask", step.mask, step.warp == none ? 0 : UINT32_MAX);
    put("place", step.place, none);
    put("times", step.times, 1);
    put("number", step.number, 0);
    put("first", step.first, 0);
    put("what", step.what, none);
    put("bytes", step.bytes, 0);
    put("map", step.map, none);
    put("global", step.global, 0);
    put("memory", step.memory, step.block);
    put("group", step.group, 1);
    put("shape", step.shape, 0);
    if (step.strong)
        one["order"] = std::string(1, step.strong);
    if (!step.text.empty())
        one["text"] = step.text;
    if (!step.ranges.empty())
        one["ranges"] = flat(step.ranges, &Range::begin, &Range::end);
    if (!step.upto.empty())
        one["upto"] = flat(step.upto, &std::pair<uint32_t, uint32_t>::first, &std::pair<uint32_t, uint32_t>::second);
    if (!step.from.empty())
        one["from"] = step.from;
    if (!step.threads.empty())
        one["threads"] = flat(step.threads, &ThreadsOf::block, &ThreadsOf::warp, &ThreadsOf::mask);
    if (!step.cells.empty())
        one["cells"] = flat(step.cells, &Cells::block, &Cells::lane, &Cells::lanes, &Cells::column, &Cells::columns,
                            &Cells::written);
    if (!step.also.empty())
        one["also"] = step.also;
    for (const WarpState& warp : step.warps)
        one["warps"].push_back(of(warp));
    if (!step.barriers.empty())
        one["barriers"] = flat(step.barriers, &BarrierState::barrier, &BarrierState::pending, &BarrierState::phase,
                               &BarrierState::expected, &BarrierState::tx);
    for (const Ahead& ahead : step.ahead)
        one["ahead"].push_back({ahead.who.block, ahead.who.warp, ahead.who.mask, ahead.mbarriers, ahead.barriers});
    for (const MapState& map : step.maps)
        one["maps"].push_back({map.map, map.fields});
    for (const Values& held : step.values)
        one["values"].push_back(of(held, recording.registers[held.reg]));
    return one;
}

Json of(const hazards::Finding& finding, const Recording& recording) {
    const Moments found = moments(recording, finding);
    Json one = hazards::to_json(finding);
    one["title"] = finding.rule ? finding.rule->title : "";
    one["step"] = found.step == none ? -1 : int64_t(found.step);
    one["other"] = found.other == none ? -1 : int64_t(found.other);
    if (found.related != none)
        one["related"] = found.related;
    if (found.step == none && finding.seen.moment >> 32 == recording.number)
        one["near"] = uint32_t(finding.seen.moment);
    if (finding.seen.pc) {
        one["thread"] = finding.seen.thread;
        one["block"] = finding.seen.block;
        if (finding.seen.other_pc) {
            one["other_thread"] = finding.seen.other_thread;
            one["other_block"] = finding.seen.other_block;
        }
        if (finding.seen.shared)
            one["at"] = finding.seen.at, one["owner"] = finding.seen.owner;
    }
    return one;
}

/// The lines of a file that matter: all of them, or those around executed ones.
Json lines(const std::string& text, const std::set<uint32_t>& used) {
    constexpr uint32_t whole = 700, around = 20;
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        all.push_back(line);
    uint32_t begin = 1, end = uint32_t(all.size());
    if (end > whole && !used.empty()) {
        begin = *used.begin() > around ? *used.begin() - around : 1;
        end = std::min({end, *used.rbegin() + around, begin + 2 * whole});
    }
    Json kept = Json::array();
    for (uint32_t line = begin; line <= end; ++line)
        kept.push_back(all[line - 1]);
    return {{"first", begin}, {"lines", kept}};
}

Json files(const Recording& recording, const PageInput& input) {
    std::map<std::string, std::set<uint32_t>> used;
    for (const ptx::SourceLine& place : recording.places)
        used[place.file].insert(place.line);
    Json all = Json::object();
    for (const auto& [file, numbers] : used)
        if (input.source)
            all[file] = lines(input.source(file), numbers);
    return all;
}

} // namespace

std::string json(const Recording& recording, const PageInput& input) {
    Json all{{"title", input.title},           {"kernel", recording.kernel},       {"grid", recording.grid},
             {"launch", recording.launch},     {"blocks", recording.blocks},       {"threads", recording.threads},
             {"reserved", recording.reserved}, {"shared", recording.shared_bytes}, {"map_fields", map_fields},
             {"skipped", recording.skipped},   {"left_out", recording.left_out},   {"cluster", recording.cluster}};
    for (const char* list : {"steps", "places", "barriers", "maps", "parts", "findings", "registers"})
        all[list] = Json::array();
    for (const Step& step : recording.steps)
        all["steps"].push_back(of(step, recording));
    for (const ptx::SourceLine& place : recording.places)
        all["places"].push_back({place.file, place.line});
    for (const Mbarrier& barrier : recording.barriers)
        all["barriers"].push_back({barrier.name, barrier.block, barrier.offset, barrier.count});
    for (const Map& map : recording.maps)
        all["maps"].push_back({map.name, uint32_t(map.where), map.block});
    for (const NamedMemory& part : recording.parts)
        all["parts"].push_back({part.name, part.begin, part.bytes, part.element});
    for (const Register& one : recording.registers)
        all["registers"].push_back({one.name, one.variable, uint32_t(one.kind), one.bytes});
    if (recording.registers_left_out)
        all["registers_left_out"] = true;
    for (size_t place = 0; place < recording.absent.size(); ++place)
        if (!recording.absent[place].empty())
            all["absent"][std::to_string(place)] = recording.absent[place];
    for (const auto& finding : input.findings)
        all["findings"].push_back(of(finding, recording));
    all["files"] = files(recording, input);
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace sim::stepper
