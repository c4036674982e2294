/// The file operations that durable state needs. They are a protocol, so that a test can interrupt the program between
/// any two of them. Paths are absolute. Each operation throws a `StateFileError` if the system refuses it.
package protocol StateFileSystem {
    /// Makes a folder and its parents, with mode 0700, durably where its parents can be read. If the folder exists, its
    /// mode is changed to 0700.
    /// - Throws: also if `path` is not a folder.
    func makeFolder(_ path: String) throws(StateFileError)
    /// Returns the content of a file; nil if there is no file. Does not follow a symbolic link.
    /// - Throws: also if `path` is not a regular file, or has more than `bytesMax` bytes.
    func read(_ path: String, bytesMax: Int) throws(StateFileError) -> [UInt8]?
    /// Makes a new file with mode 0600, and returns its descriptor.
    /// - Throws: also if `path` exists, even as a symbolic link.
    func create(_ path: String) throws(StateFileError) -> Int32
    func append(_ bytes: [UInt8], to descriptor: Int32) throws(StateFileError)
    /// Blocks until the appended bytes would survive a loss of power.
    func sync(_ descriptor: Int32) throws(StateFileError)
    func close(_ descriptor: Int32)
    /// Renames a file atomically; replaces a file that has the new name.
    func rename(_ old: String, to new: String) throws(StateFileError)
    /// Gives a file a second name. The file itself is linked, even if it is a symbolic link.
    /// - Throws: also if `new` exists.
    func link(_ path: String, as new: String) throws(StateFileError)
    /// Blocks until the names in the folder would survive a loss of power.
    func syncFolder(_ path: String) throws(StateFileError)
    /// Removes a file; it is not an error if there is none.
    func remove(_ path: String) throws(StateFileError)
}

/// A file operation that the system refused.
package struct StateFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The refused operation, as a verb, for example `create`.
    package var operation: String
    /// The file or folder.
    package var path: String
    /// `errno`.
    package var errorNumber: Int32

    package init(_ operation: String, _ path: String, _ errorNumber: Int32) {
        self.operation = operation
        self.path = path
        self.errorNumber = errorNumber
    }

    package var description: String { "cannot \(operation) \(path): \(systemText(errorNumber))" }
}

extension StateFileSystem {
    /// Replaces a file. A crash at any point leaves either the old or the new content complete: the new content is
    /// written to another file and synced; then this file is renamed, and the folder synced.
    /// - Parameter keepsOld: whether the old content stays as `NAME.damaged`. The file `name` is there all the while.
    /// - Throws: the error of the first operation that fails; the old content is then still there, unless only the last
    ///   sync failed.
    package func replaceDurably(
        _ folder: String, _ name: String, with bytes: [UInt8], keepsOld: Bool = false
    ) throws(StateFileError) {
        let aside = asidePath(folder, name)
        try remove(aside)
        try writeNew(aside, bytes)
        if keepsOld {
            try remove(damagedPath(folder, name))
            try link("\(folder)/\(name)", as: damagedPath(folder, name))
        }
        try rename(aside, to: "\(folder)/\(name)")
        try syncFolder(folder)
    }

    /// Writes a new file, and syncs it, but not its folder.
    /// - Throws: the error of the first operation that fails; an incomplete file may be left.
    package func writeNew(_ path: String, _ bytes: [UInt8]) throws(StateFileError) {
        let descriptor = try create(path)
        defer { close(descriptor) }
        do throws(StateFileError) {
            try append(bytes, to: descriptor)
            try sync(descriptor)
        } catch {
            // A descriptor has no name, and a person needs one.
            throw StateFileError(error.operation, path, error.errorNumber)
        }
    }

    /// Removes a file, and the rest of an interrupted replacement of it. A crash at any point leaves the whole file
    /// or none.
    /// - Throws: the error of the first operation that fails.
    package func removeDurably(_ folder: String, _ name: String) throws(StateFileError) {
        try remove(asidePath(folder, name))
        try remove("\(folder)/\(name)")
        try syncFolder(folder)
    }

    /// Removes a damaged file that was kept. Durable after the next `syncFolder`.
    /// - Throws: the error of the removal.
    package func removeDamaged(_ folder: String, _ name: String) throws(StateFileError) {
        try remove(damagedPath(folder, name))
    }

    private func asidePath(_ folder: String, _ name: String) -> String { "\(folder)/.\(name).new" }
    private func damagedPath(_ folder: String, _ name: String) -> String { "\(folder)/\(name).damaged" }

    /// Renames a damaged file to `NAME.damaged`, so that somebody can examine it.
    /// - Throws: the error of the rename or the sync.
    package func setAside(_ folder: String, _ name: String) throws(StateFileError) {
        try rename("\(folder)/\(name)", to: damagedPath(folder, name))
        try syncFolder(folder)
    }
}
