#pragma once

/// Sets the terminal to a mode in which each key is read at once and not echoed; Ctrl-C still interrupts. The former
/// mode is restored at exit, and when a signal ends the process. Returns 0, or an errno. To be called once.
int linux_terminal_read_keys(int descriptor);

/// Restores the mode that linux_terminal_read_keys found. May be called in a signal handler.
void linux_terminal_restore(void);

/// Number of columns of the terminal; 0 if it is not known.
int linux_terminal_columns(int descriptor);
