// Keys of a terminal as they are pressed.
#pragma once

#include <termios.h>
#include <unistd.h>

namespace runner {

/// Keys arrive one by one, unechoed, while it lives; nothing happens where stdin is no terminal.
class Keys {
  public:
    Keys() : there_(isatty(0) && tcgetattr(0, &before_) == 0) {
        if (!there_)
            return;
        termios now = before_;
        now.c_lflag &= ~tcflag_t(ICANON | ECHO);
        tcsetattr(0, TCSANOW, &now);
    }
    ~Keys() {
        if (there_)
            tcsetattr(0, TCSANOW, &before_);
    }
    Keys(const Keys&) = delete;
    bool there() const { return there_; }

  private:
    termios before_{};
    bool there_;
};

} // namespace runner
