// Who hands in.
#pragma once

#include <string>

namespace grader {

/// As the learning platform knows them; what it does not say is empty.
struct Student {
    std::string id, name, email;
};

} // namespace grader
