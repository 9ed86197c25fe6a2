// For the commands of the runner. See standard.h.
#pragma once

#include <CLI/CLI.hpp>

#include "precompiled/json.h"
