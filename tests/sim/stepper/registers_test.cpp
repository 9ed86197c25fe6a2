// What steps say of registers: their values by lane, their variables, and how much room that takes.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "recorded.h"

namespace {

struct Source {
    explicit Source(const std::string& text)
        : path(std::filesystem::temp_directory_path() / fmt::format("registers_{}.cu", getpid())) {
        std::ofstream(path) << text;
    }
    ~Source() { std::filesystem::remove(path); }
    std::string directive() const { return fmt::format(".file 1 \"{}\"\n", path.string()); }
    std::filesystem::path path;
};

const Values* of(const Recording& recording, const Step& step, const std::string& name) {
    for (const Values& one : step.values)
        if (recording.registers[one.reg].name == name)
            return &one;
    return nullptr;
}
std::string variable(const Recording& recording, const std::string& name) {
    for (const Register& one : recording.registers)
        if (one.name == name)
            return one.variable;
    return "not there";
}

} // namespace

TEST_CASE("a step has the values of the registers that its line reads and writes, after it") {
    const Recorded made =
        record("ld.global.u32 %r4, [%rd2];\n mad.lo.u32 %r4, %r1, %r1, 7;\n st.shared.u32 [%r2], %r4;");
    const Step& write = made.only(Kind::write);
    REQUIRE(write.warp == 0);
    const Values* address = of(made.recording, write, "%r2");
    REQUIRE(address);
    CHECK(address->row);
    CHECK(address->values == std::vector<uint64_t>{1040, 4}); // behind what the system reserves
    const Values* squares = of(made.recording, write, "%r4");
    REQUIRE(squares);
    CHECK(!squares->row);
    CHECK(squares->values.size() == 32);
    CHECK(squares->values[5] == 32);
    CHECK(squares->written);
    const Values* loaded = of(made.recording, made.only(Kind::read), "%r4");
    REQUIRE(loaded);
    CHECK(loaded->values == std::vector<uint64_t>{0}); // the same in all lanes
}

TEST_CASE("lanes that do not take part have no value") {
    const Recorded made = record("setp.lt.u32 %p1, %r1, 3;\n @%p1 st.shared.u32 [%r2], %r1;");
    const Step& write = made.only(Kind::write);
    CHECK(write.mask == 7);
    const Values* stored = of(made.recording, write, "%r1");
    REQUIRE(stored);
    CHECK(stored->values == std::vector<uint64_t>{0, 1});
}

TEST_CASE("a register is called as the variable that its line leaves behind, if that is one value") {
    const Source source("int i = threadIdx.x + 1;\n"
                        "int two = i * 2;\n"
                        "const int gone = 3;\n"
                        "out[i] = two + gone;\n");
    const Recorded made =
        record(".loc 1 1 0\n add.u32 %r4, %r1, 1;\n"
               ".loc 1 2 0\n shl.b32 %r5, %r4, 1;\n shl.b32 %r7, %r4, 2;\n" // two values for line 4
               ".loc 1 4 0\n add.u32 %r8, %r5, %r7;\n add.u32 %r8, %r8, %r4;\n st.global.u32 [%rd2], %r8;",
               {}, 1, 64, "sm_90a", source.directive());
    REQUIRE(bool(made.outcome));
    CHECK(variable(made.recording, "%r4") == "i");
    CHECK(variable(made.recording, "%r5").empty());
    CHECK(variable(made.recording, "%r7").empty());
    const Step& write = made.only(Kind::write);
    REQUIRE(write.place < made.recording.absent.size());
    CHECK(made.recording.absent[write.place] ==
          std::vector<std::pair<std::string, bool>>{{"two", false}, {"gone", true}});
}

TEST_CASE("a loop that is unrolled leaves several values; a variable that changes is never called optimised away") {
    const Source source("for (int k = 0; k < 2; ++k) {\n"
                        "    const int twice = 2 * in[k];\n"
                        "    int state = 0;\n"
                        "    out[k] = twice + state;\n"
                        "    state = 1;\n"
                        "}\n");
    const std::string
        copies = ".loc 1 2 0\n ld.global.u32 %r4, [%rd2];\n shl.b32 %r5, %r4, 1;\n"
                 "ld.global.u32 %r7, [%rd2];\n shl.b32 %r8, %r7, 1;\n",
        uses = ".loc 1 4 0\n add.u32 %r9, %r5, %r8;\n st.shared.u32 [%r2], %r9;\n .loc 1 5 0\n mov.u32 %r10, 1;\n"
               ".loc 1 6 0\n st.shared.u32 [%r2], %r10;";
    const Recorded made = record(copies + uses, {}, 1, 32, "sm_90a", source.directive());
    REQUIRE(bool(made.outcome));
    CHECK(variable(made.recording, "%r5").empty());
    CHECK(variable(made.recording, "%r8").empty());
    CHECK(variable(made.recording, "%r4").empty());
    const Step& write = made.only(Kind::write);
    CHECK(made.recording.absent[write.place] ==
          std::vector<std::pair<std::string, bool>>{{"k", true}, {"twice", false}});
    CHECK(variable(made.recording, "%r10") == "state");
}

TEST_CASE("what is no single variable gets no name") {
    const Source source("int a = 1, b = threadIdx.x;\n"
                        "float f = threadIdx.x;\n"
                        "return g(a);\n"
                        "use(a, f);\n");
    const Recorded made =
        record(".loc 1 1 0\n add.u32 %r4, %r1, 1;\n"
               ".loc 1 2 0\n add.s32 %r5, %r1, 2;\n" // an address, say: no float
               ".loc 1 3 0\n add.u32 %r7, %r1, 3;\n"
               ".loc 1 4 0\n add.u32 %r8, %r4, %r5;\n add.u32 %r8, %r8, %r7;\n st.global.u32 [%rd2], %r8;",
               {}, 1, 64, "sm_90a", source.directive());
    REQUIRE(bool(made.outcome));
    for (const Register& one : made.recording.registers)
        if (one.name != "%rd1" && one.name != "%rd2") // the parameter
            CHECK_MESSAGE((one.variable.empty() || one.name == "%r5"), one.name);
}

TEST_CASE("values take no more room than a page has") {
    const std::string loop = "mov.u32 %r9, 0;\n"
                             "again:\n"
                             "mul.lo.u32 %r10, %r1, %r1;\n mul.lo.u32 %r11, %r10, %r1;\n"
                             "st.shared.u32 [%r2], %r11;\n"
                             "bar.sync 0;\n"
                             "add.u32 %r9, %r9, 1;\n setp.lt.u32 %p1, %r9, 1400;\n @%p1 bra again;\n";
    const Recorded made = record(loop);
    REQUIRE(bool(made.outcome));
    size_t numbers = 0;
    for (const Step& step : made.recording.steps) {
        CHECK(step.values.size() <= 10);
        for (const Values& one : step.values)
            numbers += 2 + one.values.size();
    }
    CHECK(numbers < 170'000);
    CHECK(made.recording.registers_left_out);
    CHECK(json(made.recording, {"k", {}, {}}).size() < size_t{3} << 20);
    CHECK(!record("st.shared.u32 [%r2], %r1;").recording.registers_left_out);
}
