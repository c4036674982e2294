#pragma once

/// Puts the terminal into a mode where each key is read at once and not echoed; Ctrl-C still
/// interrupts. The mode found is put back at exit and when the process crashes.
/// 0, or the error number. Call it once.
int linux_terminal_read_keys(int descriptor);

/// Puts back the mode that linux_terminal_read_keys found; safe in a signal handler.
void linux_terminal_restore(void);

/// Columns of the terminal, or 0 where it does not say.
int linux_terminal_columns(int descriptor);
