#include "linux_terminal.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

static struct termios found;
static volatile sig_atomic_t terminal = -1;

void linux_terminal_restore(void) {
    int saved = errno;
    if (terminal >= 0) tcsetattr(terminal, TCSANOW, &found);
    terminal = -1;
    errno = saved;
}

// Handler of the signals that end a process without calling atexit handlers. SA_RESETHAND has restored the default
// action, so the raised signal ends the process.
static void restore_and_die(int signal) {
    linux_terminal_restore();
    raise(signal);
}

int linux_terminal_read_keys(int descriptor) {
    struct termios mode;
    if (tcgetattr(descriptor, &found) != 0) return errno;
    mode = found;
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    terminal = descriptor;
    atexit(linux_terminal_restore);
    struct sigaction action = {.sa_handler = restore_and_die, .sa_flags = SA_RESETHAND | SA_NODEFER};
    const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT, SIGHUP};
    for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++) sigaction(fatal[i], &action, 0);
    return tcsetattr(descriptor, TCSANOW, &mode) == 0 ? 0 : errno;
}

int linux_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
