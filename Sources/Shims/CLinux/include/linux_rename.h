#pragma once

/// Gives a file another name, unless there is something of that name already, also a link that leads nowhere. Returns
/// 0, or an errno: EEXIST if the name is taken.
///
/// Nothing can take the name meanwhile, but on a file system that cannot promise this, such as some network ones.
int linux_rename_unless_taken(const char *path, const char *name);
