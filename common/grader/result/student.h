// Who hands in.
#pragma once

#include <string>

namespace grader {

/// As the learning platform knows them; unknown fields are empty.
struct Student {
    std::string id, name, email;
};

} // namespace grader
