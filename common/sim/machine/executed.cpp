#include "sim/machine/executed.h"

#include <algorithm>
#include <tuple>

#include "sim/machine/decoder.h"
#include "sim/machine/exec.h"

namespace sim::machine {
namespace {

/// Stands in for every handler until the instruction is executed for the first time.
Flow first_time(Exec& x, const Op& op) {
    auto& function = const_cast<DecodedFunction&>(*x.function);
    const auto index = size_t(&op - function.ops.data());
    function.ops[index].run = function.handlers[index];
    return function.ops[index].run(x, op);
}

void add_once(std::vector<Executed::Site>& places, Executed::Site place) {
    if (std::ranges::find(places, place) == places.end())
        places.push_back(std::move(place));
}

} // namespace

void Executed::join(const Executed& other) {
    if (other.exactly > exactly || (other.exactly == exactly && other.not_reached < not_reached)) {
        exactly = other.exactly;
        not_reached = other.not_reached;
    }
    const auto add = [](std::vector<Site>& places, const std::vector<Site>& more) {
        for (const Site& place : more)
            add_once(places, place);
        std::ranges::sort(places, {}, [](const Site& place) { return std::tie(place.file, place.line, place.what); });
    };
    add(approximately, other.approximately);
    add(refused, other.refused);
    for (const auto list : {&Executed::kernels, &Executed::unused})
        for (const Kernel& kernel : other.*list)
            if (std::ranges::find(this->*list, kernel) == (this->*list).end())
                (this->*list).push_back(kernel);
    std::erase_if(unused, [&](const Kernel& one) { return std::ranges::find(kernels, one) != kernels.end(); });
}

bool has_run(const DecodedFunction& function) {
    return !function.ops.empty() && function.ops[0].run != first_time;
}

void watch_execution(DecodedFunction& function) {
    for (Op& op : function.ops) {
        function.handlers.push_back(op.run);
        op.run = first_time;
    }
}

std::vector<uint32_t> executed_ops(const DecodedFunction& function) {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < function.ops.size(); ++i)
        if (function.ops[i].run != first_time)
            all.push_back(i);
    return all;
}

void mark_executed(DecodedFunction& function, const std::vector<uint32_t>& ops) {
    for (const uint32_t i : ops)
        function.ops.at(i).run = function.handlers.at(i);
}

void add_executed(const DecodedFunction& function, Executed& to) {
    for (size_t i = 0; i < function.function->body().size(); ++i) {
        const Inexact* inexact = function.inexact[i];
        if (function.ops[i].run == first_time) {
            ++to.not_reached;
        } else if (!inexact) {
            ++to.exactly;
        } else {
            const ptx::Instruction& source = function.function->body()[i];
            const auto frames = function.module->sources().frames(*function.function, i);
            Executed::Site place{source.opcode, std::string(inexact->how), "", 0, inexact->judged};
            if (!frames.chain.empty()) {
                place.file = frames.chain[frames.shown].place.file;
                place.line = frames.chain[frames.shown].place.line;
            }
            if (inexact == &undecodable) {
                place.how = *static_cast<const std::string*>(function.ops[i].extra);
                add_once(to.refused, std::move(place));
            } else {
                add_once(to.approximately, std::move(place));
            }
        }
    }
}

} // namespace sim::machine
