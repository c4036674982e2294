// A disk that takes all that is written, and fails when a program waits for it (fsync(2)).
//
// It replaces `fsync` and `pwrite` of the C library for the whole process. Files elsewhere are synced and written as
// before.
#pragma once

// From now on no file below the folder reaches the disk. A folder that is not there, such as "", ends that.
void failing_sync_below(const char *folder);

// With 1 a program that waits for the disk below the folder gets no answer. With 0 it gets one: the disk has failed.
void failing_sync_hold(int is_held);

// With 1 a program that writes below the folder gets no answer. With 0 it gets one: the disk takes what is written.
void failing_sync_hold_writes(int is_held);
