// The labs' questions for learning platforms: GIFT and Moodle XML (Moodle's question bank), QTI 2.1 (Canvas, OLAT, TAO
// …).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/questions.h"

namespace runner {

/// A question with the answer that the device or its record gave.
struct Answered {
    std::string title; ///< "05.2 what_is_read"
    Question question; ///< program: its text has been read into `listing`
    std::string answer, listing;
};

/// Writes them to `file`; its extension decides the format: .gift, .xml (Moodle) or .zip (QTI). Throws Problem.
void write_question_bank(const fs::path& file, const std::vector<Answered>& questions);

} // namespace runner
