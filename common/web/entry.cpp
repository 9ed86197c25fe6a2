// The functions that the page calls, and, without a page, a program that answers one request.
#include <iostream>
#include <iterator>
#include <string>

#include "web/run.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>

/// The answer lives until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* asynclab_run(const char* request) {
    static std::string answer;
    answer = web::run(request);
    return answer.c_str();
}
#else
int main() {
    const std::string request(std::istreambuf_iterator<char>(std::cin), {});
    std::cout << web::run(request) << "\n";
}
#endif
