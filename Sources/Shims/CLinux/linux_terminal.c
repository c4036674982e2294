#include "linux_terminal.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios found;
static struct termios reading;
static volatile sig_atomic_t terminal = -1;
static volatile sig_atomic_t screen = -1;
static volatile sig_atomic_t isFresh = 0;

// Alternate screen, no cursor, no line wrap; then the keyboard's enhancements 1, 2 and 8: unambiguous codes, releases,
// and codes for keys that make text too.
static const char open_sequence[] = "\033[?1049h\033[?25l\033[?7l\033[>11u";
static const char close_sequence[] = "\033[<u\033[?7h\033[?25h\033[0m\033[?1049l";

static void put(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        const ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        count -= (size_t)written;
    }
}

void linux_terminal_restore(void) {
    int saved = errno;
    if (screen >= 0) put(screen, close_sequence, sizeof close_sequence - 1);
    screen = -1;
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

static void die_restored(const int *signals, size_t count) {
    struct sigaction action = {.sa_handler = restore_and_die, .sa_flags = SA_RESETHAND | SA_NODEFER};
    for (size_t i = 0; i < count; i++) sigaction(signals[i], &action, 0);
}

static void restore_at_the_end(void) {
    static int isArmed = 0;
    if (!isArmed) atexit(linux_terminal_restore);
    isArmed = 1;
    const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT, SIGHUP};
    die_restored(fatal, sizeof fatal / sizeof *fatal);
}

void linux_terminal_restore_when_interrupted(void) {
    const int fatal[] = {SIGINT, SIGTERM};
    die_restored(fatal, sizeof fatal / sizeof *fatal);
}

// Stops the process by the default action of the signal that is handled. Unlike SIGSTOP, it does not stop a process
// that no shell could continue (an orphaned process group), as in `xterm -e`.
static void stop_by_default(int signal) {
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    struct sigaction handler;
    sigset_t signals, blocked;
    sigemptyset(&signals);
    sigaddset(&signals, signal);
    sigaction(signal, &standard, &handler);
    raise(signal);
    // It is blocked while it is handled, so it arrives here.
    pthread_sigmask(SIG_UNBLOCK, &signals, &blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, 0);
    sigaction(signal, &handler, 0);
}

// Handler of Ctrl-Z: gives the terminal back to the shell, and takes it again when the process goes on.
static void stop_restored(int signal) {
    const int saved = errno, keys = terminal, shown = screen;
    linux_terminal_restore();
    stop_by_default(signal);
    if (keys >= 0) {
        // Set before, so that Ctrl-C between the two finds what to restore.
        terminal = keys;
        if (tcsetattr(keys, TCSANOW, &reading) != 0) terminal = -1;
    }
    if (shown >= 0) put(shown, open_sequence, sizeof open_sequence - 1);
    screen = shown;
    isFresh = 1;
    errno = saved;
}

static void restore_when_stopped(void) {
    struct sigaction stop = {.sa_handler = stop_restored, .sa_flags = SA_RESTART};
    sigaction(SIGTSTP, &stop, 0);
}

int linux_terminal_read_keys(int descriptor) {
    if (tcgetattr(descriptor, &found) != 0) return errno;
    reading = found;
    reading.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    reading.c_cc[VMIN] = 1;
    reading.c_cc[VTIME] = 0;
    terminal = descriptor;
    restore_at_the_end();
    linux_terminal_restore_when_interrupted();
    restore_when_stopped();
    return tcsetattr(descriptor, TCSANOW, &reading) == 0 ? 0 : errno;
}

int linux_terminal_hide_typing(int descriptor) {
    if (tcgetattr(descriptor, &found) != 0) return errno;
    reading = found;
    reading.c_lflag &= ~(tcflag_t)ECHO;
    reading.c_lflag |= ECHONL;
    terminal = descriptor;
    restore_at_the_end();
    linux_terminal_restore_when_interrupted();
    restore_when_stopped();
    // Characters that were typed before the question are thrown away: the terminal has shown them.
    return tcsetattr(descriptor, TCSAFLUSH, &reading) == 0 ? 0 : errno;
}

void linux_terminal_open_screen(int descriptor) {
    screen = descriptor;
    restore_at_the_end();
    restore_when_stopped();
    put(descriptor, open_sequence, sizeof open_sequence - 1);
    isFresh = 1;
}

int linux_terminal_screen_is_fresh(void) {
    const int was = isFresh;
    isFresh = 0;
    return was;
}

static struct winsize size_of(int descriptor) {
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) size = (struct winsize){0};
    return size;
}

int linux_terminal_columns(int descriptor) { return size_of(descriptor).ws_col; }

int linux_terminal_rows(int descriptor) { return size_of(descriptor).ws_row; }
