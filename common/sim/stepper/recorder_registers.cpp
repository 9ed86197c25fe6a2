// The recorder's view of registers: what those that a step's line reads and writes hold when the step is over.
#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "sim/stepper/recorder.h"

namespace sim::stepper {

namespace {

constexpr size_t most_registers = 10; ///< of a step
/// Numbers of a recording: about a megabyte of its page. Steps near a finding have as many again.
constexpr size_t most_numbers = 120'000, near_findings = 40'000, near = 60;

uint64_t value_of(machine::Exec& x, size_t index, int lane) {
    const uint32_t bytes = x.function->register_bytes[index];
    const auto ref = x.function->registers[index];
    if (!bytes)
        return x.predicate(ref) >> lane & 1;
    uint64_t raw = 0;
    std::memcpy(&raw, x.lanes<std::byte>(ref) + size_t(lane) * bytes, bytes);
    return raw;
}

/// v, v + d, v + 2 d …, as the page computes them?
bool is_row(const std::vector<uint64_t>& values) {
    constexpr uint64_t most = uint64_t{1} << 52;
    const uint64_t difference = values[1] - values[0];
    for (size_t i = 1; i < values.size(); ++i)
        if (values[i] - values[i - 1] != difference || values[i] > most || values[i - 1] > values[i])
            return false;
    return true;
}

} // namespace

const Recorder::Names& Recorder::names(const machine::DecodedFunction& function) {
    auto& known = names_[&function];
    if (!known) {
        known = std::make_unique<Names>(function);
        for (size_t i = 0; i < function.registers.size(); ++i)
            known->indices[function.registers[i].value] = uint32_t(i);
    }
    return *known;
}

uint32_t Recorder::register_number(const machine::DecodedFunction& function, uint32_t index) {
    const auto [found, is_new] = register_numbers_.try_emplace({&function, index}, uint32_t(current_.registers.size()));
    if (is_new) {
        const ptx::Register& one = function.function->code().registers[index];
        current_.registers.push_back({one.name, names(function).variables.name(index),
                                      function.register_bytes[index] == 0    ? Register::Kind::predicate
                                      : one.type.kind == ptx::Kind::floating ? Register::Kind::floating
                                                                             : Register::Kind::integer,
                                      function.register_bytes[index]});
    }
    return found->second;
}

// Before `op` executes.
void Recorder::note_registers(Exec& x, const events::Op& op) {
    LineOf& line = lines_[{rank(&x.block), x.warp.id}];
    if (line.step != none)
        take_values(x, line);
    const auto pc = uint32_t(&op - x.function->ops.data());
    const uint32_t at = place(x.warp);
    if (line.frame != x.fragment().frame || line.place != at || line.mask != x.fragment().mask)
        line = {x.fragment().frame, at, x.fragment().mask, none, 0, {}};
    if (pc >= x.function->reads.size())
        return;
    const auto& indices = names(*x.function).indices;
    const auto note = [&](const std::vector<machine::OperandRef>& refs, bool written) {
        for (const auto ref : refs) {
            const auto found = indices.find(ref.value);
            if (found == indices.end() || x.function->register_bytes[found->second] > 8)
                continue;
            auto& all = line.registers; // the newest first
            const auto known =
                std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == found->second; });
            const bool wrote = written || (known != all.end() && known->second);
            if (known != all.end())
                all.erase(known);
            all.insert(all.begin(), {found->second, wrote});
            all.resize(std::min(all.size(), most_registers));
        }
    };
    note(x.function->address_reads[pc], false);
    note(x.function->reads[pc], false);
    note(x.function->writes[pc], true);
}

void Recorder::take_values(Exec& x, LineOf& line) {
    const uint32_t number = std::exchange(line.step, none);
    if (line.frame != x.fragment().frame || line.skipped != current_.skipped || number >= current_.steps.size())
        return;
    Step& step = current_.steps[number];
    const bool special = number <= until_;
    if (numbers_ >= most_numbers && !(special && numbers_ < most_numbers + near_findings)) {
        current_.registers_left_out = true;
        return;
    }
    step.values.clear();
    for (const auto& used : line.registers) {
        Values one{register_number(*x.function, used.first), used.second, false, {}};
        machine::for_lanes(step.mask, [&](int lane) { one.values.push_back(value_of(x, used.first, lane)); });
        const bool integer = current_.registers[one.reg].kind == Register::Kind::integer;
        if (std::adjacent_find(one.values.begin(), one.values.end(), std::not_equal_to<>()) == one.values.end())
            one.values.resize(1), one.row = true;
        else if (integer && one.values.size() > 2 && is_row(one.values))
            one.values = {one.values[0], one.values[1] - one.values[0]}, one.row = true;
        numbers_ += 2 + one.values.size();
        step.values.push_back(std::move(one));
    }
    if (step.place != none && current_.absent.size() <= step.place)
        current_.absent.resize(step.place + 1);
    if (step.place != none && noted_.insert(step.place).second)
        for (const auto& [name, away] : names(*x.function).variables.absent(current_.places[step.place]))
            current_.absent[step.place].emplace_back(name, away);
}

void Recorder::forget_registers() {
    lines_.clear();
    register_numbers_.clear();
    noted_.clear();
    numbers_ = 0;
    until_ = 0;
}

void Recorder::will_show_registers() {
    until_ = std::max(until_, current_.steps.size() + near);
}

} // namespace sim::stepper
