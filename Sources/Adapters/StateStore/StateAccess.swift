import Glibc

extension NodeState {
    /// Why this user may not use one of the files of a state folder as a start does; nil if there is no such file.
    /// Changes nothing. The mesh file is left out: without it no node starts, and its reader says why (`MeshFile`).
    package static func refusedFile(in folder: String) -> StateFileError? {
        // A new file takes the place of these, so they need not be writable.
        let replaced = [IdentityFile<LinuxFileSystem>.name] + InstanceCounter<LinuxFileSystem>.names
        let changed = [StateLock.fileName, StateDatabase.fileName]
        for (name, operation, rights) in replaced.map({ ($0, "read", R_OK) })
            + changed.map({ ($0, "write", R_OK | W_OK) })
        {
            let path = "\(folder)/\(name)"
            if access(path, rights) != 0, errno != ENOENT { return StateFileError(operation, path, errno) }
        }
        return nil
    }
}
