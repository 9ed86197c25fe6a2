#include "helpers.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

using namespace sim::ptx;

namespace {

struct Mark {
    std::string kernel, opcode;
    uint32_t line;
};

/// What the source's comments promise: "// ptx: cp.async mbarrier.init", with the kernel that the line is in.
std::vector<Mark> marks_of(const std::string& source, const std::string& keyword) {
    std::vector<Mark> marks;
    std::istringstream text(source);
    std::string line, kernel;
    for (uint32_t number = 1; std::getline(text, line); ++number) {
        if (const size_t at = line.find("__global__ void "); at != std::string::npos)
            kernel = line.substr(at + 16, line.find('(', at) - at - 16);
        const size_t at = line.find("// " + keyword);
        if (at == std::string::npos)
            continue;
        std::istringstream words(line.substr(at + 3 + keyword.size()));
        for (std::string word; words >> word;)
            marks.push_back({kernel, word, number});
    }
    return marks;
}

const Function* kernel_called(const Module& module, const std::string& name) {
    for (const auto& function : module.functions)
        if (function->is_entry && function->name.starts_with(fmt::format("_Z{}{}", name.size(), name)))
            return function.get();
    return nullptr;
}

std::string shown(const std::vector<SourceLine>& lines) {
    std::string text;
    for (const SourceLine& line : lines)
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", line.file.substr(line.file.rfind('/') + 1), line.line);
    return text;
}

/// Every instruction of a marked kind must be given to exactly one line, and the lines must take turns.
void check_marks(const std::string& ptx, const std::string& cu) {
    const auto module = parse(read_data(ptx));
    const SourceMap map(*module);
    std::vector<Mark> marks = marks_of(read_data(cu), "ptx:");
    while (!marks.empty()) {
        const Mark first = marks.front();
        std::vector<uint32_t> turns;
        for (const Mark& mark : marks)
            if (mark.kernel == first.kernel && mark.opcode == first.opcode)
                turns.push_back(mark.line);
        std::erase_if(marks, [&](auto& m) { return m.kernel == first.kernel && m.opcode == first.opcode; });
        const Function* kernel = kernel_called(*module, first.kernel);
        if (kernel == nullptr)
            continue;
        CAPTURE(ptx);
        CAPTURE(first.kernel);
        CAPTURE(first.opcode);
        size_t found = 0, turn = 0;
        bool started = false;
        for (uint32_t i = 0; i < kernel->body().size(); ++i) {
            const Instruction& instruction = kernel->body()[i];
            if (!instruction.opcode.starts_with(first.opcode))
                continue;
            CAPTURE(instruction.opcode);
            CAPTURE(instruction.text_line);
            const auto& lines = map.lines(*kernel, i);
            const bool same = started && lines.size() == 1 && lines[0].line == turns[turn]; // several of one call
            if (started && !same)
                turn = (turn + 1) % turns.size();
            started = true;
            CHECK(shown(lines) == fmt::format("{}:{}", cu, turns[turn]));
            ++found;
        }
        CHECK(found % turns.size() == 0);
        CHECK((found >= 4 * turns.size() || turns.size() == 1 || first.opcode == "mbarrier.init" ||
               first.opcode == "nanosleep"));
    }
}

} // namespace

TEST_CASE("two calls of each API on neighbouring lines, unrolled four times: each copy has its own line (sm_90)") {
    check_marks("two_calls.sm_90.ptx", "two_calls.cu");
}

TEST_CASE("two calls of each API on neighbouring lines, unrolled four times: each copy has its own line (sm_80)") {
    check_marks("two_calls.sm_80.ptx", "two_calls.cu");
}

TEST_CASE("every instruction of the kernels has exactly one line, in the program's file") {
    for (const std::string name : {"two_calls.sm_90.ptx", "two_calls.sm_80.ptx", "stages.sm_90.ptx"}) {
        const auto module = parse(read_data(name));
        const std::string program = "/" + name.substr(0, name.find('.')) + ".cu";
        const SourceMap map(*module);
        for (const auto& function : module->functions)
            for (uint32_t i = 0; function->is_entry && i < function->body().size(); ++i) {
                CAPTURE(name);
                CAPTURE(function->body()[i].text_line);
                REQUIRE(map.lines(*function, i).size() == 1);
                REQUIRE(map.lines(*function, i)[0].file.ends_with(program));
            }
    }
}

TEST_CASE("a helper of the program is reported itself; the chain says which call it was") {
    const auto module = parse(read_data("two_calls.sm_90.ptx"));
    const SourceMap map(*module);
    const Function& helper = *kernel_called(*module, "helper");
    const auto outer = marks_of(read_data("two_calls.cu"), "outer:");
    REQUIRE(outer.size() == 2);
    size_t copies = 0;
    for (uint32_t i = 0; i < helper.body().size(); ++i) {
        if (!helper.body()[i].opcode.starts_with("cp.async.cg"))
            continue;
        const auto chain = map.chain(helper, i);
        REQUIRE(chain.size() > 2);
        CHECK(chain.front().file.ends_with("cuda_pipeline_helpers.h"));
        CHECK(chain[chain.size() - 2].line == map.lines(helper, i).at(0).line);
        CHECK(chain.back().line == outer[copies++ % 2].line);
    }
    CHECK(copies == 8);
}

TEST_CASE("prefetch rings, missing tails and loops side by side: each copy has the line whose tag it carries") {
    const auto module = parse(read_data("stages.sm_90.ptx"));
    const SourceMap map(*module);
    std::map<std::pair<std::string, uint64_t>, uint32_t> lines;
    std::istringstream source(read_data("stages.cu"));
    std::string text, kernel;
    for (uint32_t number = 1; std::getline(source, text); ++number) {
        if (const size_t at = text.find("__global__ void "); at != std::string::npos)
            kernel = text.substr(at + 16, text.find('(', at) - at - 16);
        if (const size_t at = text.find("// tag "); at != std::string::npos)
            lines[{kernel, std::strtoull(text.c_str() + at + 7, nullptr, 10)}] = number;
    }
    for (const char* name : {"ring", "alternating", "nested", "interleaved"}) {
        const Function& function = *kernel_called(*module, name);
        for (uint32_t i = 0; i < function.body().size(); ++i) {
            const Instruction& instruction = function.body()[i];
            if (!instruction.opcode.starts_with("cp.async.cg"))
                continue;
            CAPTURE(name);
            CAPTURE(instruction.text_line);
            const uint32_t expected = lines.at({name, instruction.operands.at(3).bits});
            CHECK(shown(map.lines(function, i)) == fmt::format("stages.cu:{}", expected));
        }
    }
}

namespace {

constexpr const char* header = "/usr/local/cuda/include/cuda_pipeline_helpers.h";

std::unique_ptr<Module> kernel_of(const std::string& body) {
    return parse(fmt::format(".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{{\n.reg .b32 "
                             "%r<9>;\n{}\n}}\n.file 1 \"/lab/a.cu\"\n.file 2 \"{}\"\n.file 3 "
                             "\"/lab/include/mine.cuh\"\n.section .debug_str\n{{\nf:\n.b8 95,90,49\n.b8 102,118,0\n"
                             "unused:\n.b8 1,2,0\ng:\n.b8 103,0\n}}\n",
                             body, header));
}

std::vector<std::string> mapped(const std::string& body) {
    const auto module = kernel_of(body);
    const SourceMap map(*module);
    std::vector<std::string> result;
    for (uint32_t i = 0; i < module->functions[0]->body().size(); ++i)
        result.push_back(shown(map.lines(*module->functions[0], i)));
    return result;
}

/// Each instruction's chain, innermost first, with the line to show in brackets.
std::vector<std::string> framed(const std::string& body) {
    const auto module = kernel_of(body);
    const SourceMap map(*module);
    std::vector<std::string> result;
    for (uint32_t i = 0; i < module->functions[0]->body().size(); ++i) {
        const SourceFrames frames = map.frames(*module->functions[0], i);
        std::string& text = result.emplace_back();
        for (size_t f = 0; f < frames.chain.size(); ++f) {
            const auto& [place, function] = frames.chain[f];
            text += fmt::format("{}{}{}{}{}", f ? " " : "", function.empty() ? "" : function + ":",
                                f == frames.shown ? "[" : "", place.line, f == frames.shown ? "]" : "");
        }
        for (const SourceLine& line : frames.alternatives)
            text += fmt::format(" or {}", line.line);
    }
    return result;
}

} // namespace

TEST_CASE("line 0 stays with the line before") {
    CHECK(mapped(".loc 1 7 3\nbar.sync 0;\n.loc 1 0 3\nbar.sync 1;\n.loc 2 0 0\nbar.sync 2;\nret;") ==
          std::vector<std::string>{"a.cu:7", "a.cu:7", "a.cu:7", "a.cu:7"});
}

TEST_CASE("line 0 inside an inlined function goes to that function's call") {
    CHECK(mapped(".loc 1 7 3\n.loc 2 5 1, function_name f, inlined_at 1 7 3\nbar.sync 0;\n"
                 ".loc 1 8 3\n.loc 2 0 1, function_name f, inlined_at 1 8 3\nbar.sync 1;\nret;") ==
          std::vector<std::string>{"a.cu:7", "a.cu:8", "a.cu:8"});
}

TEST_CASE("without .loc there is no line") {
    CHECK(mapped("ret;") == std::vector<std::string>{""});
}

TEST_CASE("the innermost of the program's files counts, its headers included") {
    CHECK(mapped(".loc 1 7 3\n.loc 3 20 3, function_name g, inlined_at 1 7 3\n"
                 ".loc 2 5 1, function_name f, inlined_at 3 20 3\nbar.sync 0;\nret;")[0] == "mine.cuh:20");
}

TEST_CASE("several lines remain when nothing identifies a copy's line") {
    const std::string call = ".loc 1 {0} 3\n.loc 2 5 1, function_name f, inlined_at 1 {0} 3\nbar.sync 0;\n";
    const std::string copy = ".loc 2 5 1, function_name f, inlined_at 1 {} 3\n";
    // The outer links are in a header, so that the copy's own link says nothing.
    const std::string deep = ".loc 1 {0} 3\n.loc 2 9 1, function_name g, inlined_at 1 {0} 3\n"
                             ".loc 2 5 1, function_name f, inlined_at 2 9 1\nbar.sync 0;\n";
    const auto lines =
        mapped(fmt::format(fmt::runtime(deep), 7) + ".loc 1 10 1\nbar.sync 1;\n" + fmt::format(fmt::runtime(deep), 8) +
               ".loc 1 11 1\nbar.sync 2;\n" + ".loc 2 5 1, function_name f, inlined_at 2 9 1\nbar.sync 0;\nret;");
    CHECK(lines[4] == "a.cu:7 a.cu:8");
    CHECK(mapped(fmt::format(fmt::runtime(call), 7) + fmt::format(fmt::runtime(call), 8) +
                 fmt::format(fmt::runtime(copy), 7) + "bar.sync 0;\nret;")[2] == "a.cu:7");
}

TEST_CASE("a link that was never printed in full is shown as far as it is known") {
    CHECK(mapped(".loc 2 5 1, function_name f, inlined_at 1 7 3\nbar.sync 0;\nret;")[0] == "a.cu:7");
    CHECK(mapped(".loc 2 5 1, function_name f, inlined_at 2 9 1\nbar.sync 0;\nret;")[0] == "cuda_pipeline_helpers.h:9");
}

TEST_CASE("in a kernel of CUTLASS the line shown is the collective's, not the kernel's only one") {
    const auto module = parse(".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".file 1 \"/c/include/cutlass/device_kernel.h\"\n"
                              ".file 2 \"/c/include/cutlass/epilogue/collective/store.hpp\"\n"
                              ".file 3 \"/c/include/cute/arch/copy.hpp\"\n"
                              ".entry k() {\n.loc 1 123 3\n.loc 2 740 1, function_name f, inlined_at 1 123 3\n"
                              ".loc 3 80 1, function_name g, inlined_at 2 740 1\nbar.sync 0;\n"
                              ".loc 1 124 3\nbar.sync 1;\nret;\n}\n"
                              ".section .debug_str\n{\nf:\n.b8 102,0\ng:\n.b8 103,0\n}\n");
    const SourceMap map(*module);
    const Function& kernel = *module->functions[0];
    CHECK(shown(map.lines(kernel, 0)) == "store.hpp:740");
    CHECK(map.frames(kernel, 0).chain.front().place.line == 740);
    CHECK(shown(map.lines(kernel, 1)) == "device_kernel.h:124");
}

TEST_CASE("a copy belongs to the call that works on the same variable") {
    const std::string deep = ".loc 1 {0} 3\n.loc 2 9 1, function_name g, inlined_at 1 {0} 3\n"
                             ".loc 2 5 1, function_name f, inlined_at 2 9 1\natom.shared.add.u32 %r1, [{1}], 1;\n";
    const std::string copy = ".loc 2 5 1, function_name f, inlined_at 2 9 1\natom.shared.add.u32 %r1, [{}], 1;\n";
    const auto lines =
        mapped(".shared .b32 a; .shared .b32 b;\n" + fmt::format(fmt::runtime(deep), 7, "a") +
               ".loc 1 10 1\nbar.sync 1;\n" + fmt::format(fmt::runtime(deep), 8, "b") + ".loc 1 11 1\nbar.sync 2;\n" +
               fmt::format(fmt::runtime(copy), "b") + fmt::format(fmt::runtime(copy), "a") + "ret;");
    CHECK(lines[4] == "a.cu:8");
    CHECK(lines[5] == "a.cu:7");
}

TEST_CASE("a header's line without inlined_at, as after line 0, is code inlined before") {
    const auto lines = mapped(".loc 1 1 0\n.loc 1 7 3\n.loc 2 5 1, function_name f, inlined_at 1 7 3\nbar.sync 0;\n"
                              ".loc 1 8 3\nbar.sync 1;\n.loc 2 0 1\nbar.sync 2;\n.loc 2 5 1\nbar.sync 3;\n"
                              ".loc 2 6 1\nbar.sync 4;\nret;");
    CHECK(lines == std::vector<std::string>{"a.cu:7", "a.cu:8", "a.cu:8", "a.cu:7", "a.cu:7", "a.cu:7"});
}

TEST_CASE("a wrapper's line is inside the call that is shown, and has its function's name") {
    const std::string wrapper = ".loc 1 {0} 3\n.loc 1 2 1, function_name f, inlined_at 1 {0} 3\nbar.sync 0;\n";
    CHECK(framed(fmt::format(fmt::runtime(wrapper), 7) + fmt::format(fmt::runtime(wrapper), 8) + "ret;") ==
          std::vector<std::string>{"_Z1fv:2 [7]", "_Z1fv:2 [8]", "_Z1fv:2 [8]"});
    CHECK(framed(".loc 1 7 3\n.loc 3 20 3, function_name g, inlined_at 1 7 3\n"
                 ".loc 2 5 1, function_name f, inlined_at 3 20 3\nbar.sync 0;\n.loc 1 8 1\nbar.sync 1;\nret;")[0] ==
          "g:20 [7]");
}

TEST_CASE("a kernel that only forwards shows the lines of the function that it calls") {
    const std::string forwarded = ".loc 1 7 3\n.loc 3 20 3, function_name g, inlined_at 1 7 3\nbar.sync 0;\n"
                                  ".loc 3 21 3, function_name g, inlined_at 1 7 3\nbar.sync 1;\n";
    CHECK(framed(forwarded + ".loc 1 8 1\nret;") == std::vector<std::string>{"g:[20] 7", "g:[21] 7", "[8]"});
    CHECK(framed(forwarded + ".loc 1 8 1\nbar.sync 2;\nret;")[0] == "g:20 [7]");
}

TEST_CASE("a function put together from calls is no wrapper, unless it is in another file than the kernel") {
    const std::string stage = ".loc 1 7 3\n.loc {0} 20 3, function_name g, inlined_at 1 7 3\n"
                              ".loc 1 2 1, function_name f, inlined_at {0} 20 3\nbar.sync 0;\n"
                              ".loc {0} 21 3, function_name g, inlined_at 1 7 3\n"
                              ".loc 1 2 1, function_name f, inlined_at {0} 21 3\nbar.sync 0;\n"
                              ".loc 1 8 1\nbar.sync 1;\nret;";
    CHECK(framed(fmt::format(fmt::runtime(stage), 1))[1] == "_Z1fv:2 g:[21] 7");
    CHECK(framed(fmt::format(fmt::runtime(stage), 3))[1] == "_Z1fv:2 g:21 [7]");
}
