// A disk under SQLite that dies after a given number of operations, and then loses power.
//
// It is the default file system of SQLite in this process (sqlite3_vfs_register), and passes all on to the former one.
// Writes, truncations, syncs and deletions below one folder are counted, and fail once the disk is dead. What was not
// synced is known, and can be taken back as a loss of power does.
#pragma once

// Makes it the default for connections that are opened from now on. A second call does nothing.
void failing_disk_install(void);

// From now on so many operations below the folder work. Ends what is known of an earlier folder.
void failing_disk_watch(const char *folder, long operations);

// Operations since the last call of failing_disk_watch.
long failing_disk_operations(void);

// From now on the disk does not answer; `failing_disk_answer` ends that. Call both on one thread.
void failing_disk_hang(void);
void failing_disk_answer(void);

// The power goes: takes back all that was not synced. A deletion lasts once its folder was synced. Nothing is watched
// from now on. To be called when no connection is open.
void failing_disk_lose_power(void);
