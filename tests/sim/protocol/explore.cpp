// What the protocol check says of runs that are given as text: random_protocols.py writes them. A line for each run:
// "regular", "fine", "part" (not every order was explored), "not understood", or "wrong" with the order that shows it,
// the operations by their number, a landing with an "l" behind it.
//
//     warps N                 begins a run of N warps
//     mbarrier COUNT          an object; they are numbered
//     named
//     arrive W OBJECT PHASE BYTES     operations of warp W, numbered, in the order of the run
//     wait W OBJECT PHASE
//     expect W OBJECT PHASE BYTES
//     issue W OBJECT BYTES
//     sync W OBJECT PHASE THREADS, signal W OBJECT PHASE THREADS
//     land OPERATION PHASE    no operation of its own
//     end
#include <iostream>
#include <sstream>

#include "sim/protocol/explorer.h"
#include "sim/protocol/proof.h"

using namespace sim::protocol;
using What = Fault::What;

namespace {

struct Run {
    Record record;
    std::vector<uint32_t> numbers; ///< of the record's operations, by that of the text

    void add(uint32_t warp, const sim::events::BarrierOperation& what) {
        Operation one{what};
        one.warp = warp;
        one.mask = what.kind == Kind::block_barrier ? ~0u : 1u;
        numbers.push_back(uint32_t(record.operations.size()));
        record.operations.push_back(one);
    }
    void land(uint32_t issued, uint32_t phase) {
        Operation one = record.operations[numbers.at(issued)];
        one.kind = Kind::land;
        one.phase = phase;
        one.issue = numbers[issued];
        record.operations.push_back(one);
    }
};

void read(Run& run, const std::string& kind, std::istream& line) {
    const auto next = [&] {
        int64_t number = 0;
        line >> number;
        return number;
    };
    const auto object = [&](Object::Type type) {
        run.record.objects.push_back({type, 0, uint32_t(run.record.objects.size()), {}});
        return uint32_t(run.record.objects.size() - 1);
    };
    if (kind == "mbarrier") {
        Operation one{{.kind = Kind::init, .object = object(Object::Type::mbarrier), .amount = uint32_t(next())}};
        one.mask = 1;
        run.record.operations.push_back(one);
        return;
    }
    if (kind == "named") {
        object(Object::Type::named);
        return;
    }
    if (kind == "land") {
        const auto issued = uint32_t(next());
        return run.land(issued, uint32_t(next()));
    }
    const auto warp = uint32_t(next()), on = uint32_t(next());
    if (kind == "issue")
        return run.add(warp, {.kind = Kind::issue, .object = on, .bytes = next()});
    const auto phase = uint32_t(next());
    if (kind == "arrive")
        run.add(warp, {.kind = Kind::arrive, .object = on, .amount = 1, .bytes = next(), .phase = phase});
    else if (kind == "expect")
        run.add(warp, {.kind = Kind::expect, .object = on, .bytes = next(), .phase = phase});
    else if (kind == "wait")
        run.add(warp, {.kind = Kind::wait, .parity = (phase & 1) == 0, .object = on, .phase = phase});
    else
        run.add(warp, {.kind = Kind::block_barrier,
                       .waits = kind == "sync",
                       .object = on,
                       .amount = uint32_t(next()),
                       .threads = 32,
                       .phase = phase});
}

std::string answer(const Run& run) {
    const Actors actors(run.record);
    const Proof proof = prove(run.record, actors);
    if (!proof.understood)
        return "not understood";
    if (proof.regular())
        return "regular";
    const Explored explored = explore(run.record, actors, proof.irregular, {});
    const std::vector<Step>* order = &explored.order;
    if (explored.fault.what == What::nothing) {
        if (explored.left_over.what == What::nothing || proof.left_over[explored.left_over.object])
            return explored.all && !explored.doubtful ? "fine" : "part";
        order = &explored.with_left_over;
    }
    std::ostringstream text;
    text << "wrong";
    for (const Step& step : *order)
        for (size_t i = 0; i < run.numbers.size(); ++i)
            if (run.numbers[i] == step.operation) {
                const Operation& one = run.record.operations[step.operation];
                text << " " << i << (step.lands ? "l" : "");
                if (one.kind == Kind::issue && !step.lands && !proof.irregular[one.object]) // lands at once
                    text << " " << i << "l";
            }
    return text.str();
}

} // namespace

int main() {
    Run run;
    for (std::string text; std::getline(std::cin, text);) {
        std::istringstream line(text);
        std::string kind;
        line >> kind;
        if (kind == "warps") {
            run = {};
            uint32_t warps = 0;
            line >> warps;
            run.record.blocks = {{0, warps * 32}};
        } else if (kind == "end") {
            std::cout << answer(run) << "\n" << std::flush;
        } else {
            read(run, kind, line);
        }
    }
}
