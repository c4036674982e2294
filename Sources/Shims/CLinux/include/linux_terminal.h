#pragma once

/// Sets the terminal to a mode in which each key is read at once and not echoed; Ctrl-C still interrupts. The former
/// mode comes back at exit, when a signal ends the process, Ctrl-C too, and while Ctrl-Z stops the process. A program
/// with handlers of its own must install them after this call. Returns 0, or an errno. To be called once.
int linux_terminal_read_keys(int descriptor);

/// Hides typed characters, but for the end of a line, until linux_terminal_restore. The former mode comes back at exit,
/// when a signal ends the process, Ctrl-C too, and while Ctrl-Z stops the process. Returns 0, or an errno.
int linux_terminal_hide_typing(int descriptor);

/// Shows an empty screen beside the one that the terminal shows, without a cursor and without line wrap, and asks the
/// terminal to report when a key is let go (the progressive enhancements of kitty's keyboard protocol; other terminals
/// ignore the request). The former screen comes back at exit, when a signal ends the process, and while the process is
/// stopped by Ctrl-Z. To be called once, after linux_terminal_read_keys if keys are read.
void linux_terminal_open_screen(int descriptor);

/// Lets SIGINT and SIGTERM restore the terminal before they end the process. For a program that handles neither, and
/// shows a screen without reading keys.
void linux_terminal_restore_when_interrupted(void);

/// Whether the screen was opened anew since the last call, so that it is empty. This is so after a stop.
int linux_terminal_screen_is_fresh(void);

/// Restores the mode that linux_terminal_read_keys found, and the screen that linux_terminal_open_screen found. May be
/// called in a signal handler.
void linux_terminal_restore(void);

/// Number of columns of the terminal; 0 if it is not known.
int linux_terminal_columns(int descriptor);

/// Number of rows of the terminal; 0 if it is not known.
int linux_terminal_rows(int descriptor);
