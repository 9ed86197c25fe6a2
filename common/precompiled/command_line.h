// For the commands of the runner. See standard.h.
#include <CLI/CLI.hpp>

#include "precompiled/json.h"
