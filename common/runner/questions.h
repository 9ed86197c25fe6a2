// The predictions of a lab: labs/NN_name/questions.toml. docs/adding.md describes the file.
#pragma once

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"

namespace runner {

namespace fs = std::filesystem;

/// How an answer is given, and compared with the right one.
enum class Answer : uint8_t {
    number,  ///< may differ by Question::tolerance times the right one
    numbers, ///< several, in order
    text,    ///< the program's output, without blanks around it
    choice,  ///< the number of a choice, from 1
    line,    ///< of the program
    rule,    ///< that is reported, or "nothing"
};

/// One question with its values put in.
struct Question {
    std::string name;
    Answer kind = Answer::number;
    std::string text, why; ///< Markdown
    std::vector<std::string> choices;
    std::string answer;                         ///< empty: the program says it
    double tolerance = 0;                       ///< relative
    fs::path program;                           ///< a .cu file; empty: there is none
    std::string arch;                           ///< that it is compiled for; empty: ./lab run chooses
    std::map<std::string, std::string> defines; ///< the values, as the program is compiled with them
};

/// A lab's questions in the order of the file; `random` picks their values. In `language` ("zh") where they are written
/// in it. Throws Problem that names file and line. No file: none.
std::vector<Question> read_questions(const base::Paths& paths, std::string_view lab, std::string_view language,
                                     std::mt19937_64& random);

/// Is the typed answer right? Throws Problem, which describes the expected form, if it is no answer of that kind.
bool is_right(const Question& question, std::string_view typed, std::string_view answer);

/// Runs the program and returns its output or its reports, as the kind of question needs them. Throws Problem if the
/// program cannot be run.
std::string ask_the_device(const base::Paths& paths, const Question& question);

} // namespace runner
