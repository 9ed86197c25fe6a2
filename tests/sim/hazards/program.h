// Many small CUDA programs in one executable: compiling them together takes nvcc seconds instead of minutes.
#pragma once

struct Program {
    const char* name;
    int (*main)();
};

/// Ends with a null name. One table for each file that `combine` writes.
extern const Program example_programs[]; ///< of the rules' records: "missing-wait.wrong", "missing-wait.right"
extern const Program case_programs[];    ///< of clean/ and wrong/: "clean/last_block"
