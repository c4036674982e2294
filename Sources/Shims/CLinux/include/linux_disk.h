#pragma once

/// Calls `body(path)` in a process of its own. Returns its result, or an errno; -1 if it has not returned within
/// `milliseconds`. It then goes on alone, and ends by itself.
///
/// A thread would not do: nothing ends a thread that waits for a frozen file system, and a process ends only with all
/// of its threads. `body` may call only what a signal handler may call (signal-safety(7)).
int linux_apart(int (*body)(const char *path), const char *path, int milliseconds);

/// Reads a byte of a file, or opens a folder. Returns 0, also if the read fails, or the errno of the opening.
int linux_disk_read(const char *path);

/// Makes a file, writes and syncs it, and removes it. Returns 0, or an errno: EEXIST if there is such a file.
int linux_disk_write(const char *path);
