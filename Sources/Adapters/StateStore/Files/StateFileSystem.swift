/// The few operations on files that durable state is made of, so that a test can stop between any
/// two of them. Paths are absolute.
package protocol StateFileSystem {
    /// Makes a folder, and those above it, for the owner alone; one that exists is made so.
    func makeFolder(_ path: String) throws(StateFileError)
    /// The content of a regular file of at most `bytesMax` bytes, nil where there is none; follows
    /// no link.
    func read(_ path: String, bytesMax: Int) throws(StateFileError) -> [UInt8]?
    /// A new file with mode 0600; fails where anything has that name, a link included.
    func create(_ path: String) throws(StateFileError) -> Int32
    func append(_ bytes: [UInt8], to descriptor: Int32) throws(StateFileError)
    /// Returns when what was appended survives a loss of power.
    func sync(_ descriptor: Int32) throws(StateFileError)
    func close(_ descriptor: Int32)
    /// Gives `old` the name `new` at once; what had that name is gone.
    func rename(_ old: String, to new: String) throws(StateFileError)
    /// Returns when the names in the folder survive a loss of power.
    func syncFolder(_ path: String) throws(StateFileError)
    /// Removes a file; one that is not there is no error.
    func remove(_ path: String) throws(StateFileError)
}

/// What the system refused.
package struct StateFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A verb, for example `create`.
    package var operation: String
    /// What it was done to.
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
    /// Replaces a file so that after a crash at any point either the old or the new content is
    /// whole: write aside, sync, rename, sync the folder.
    package func replaceDurably(_ folder: String, _ name: String, with bytes: [UInt8]) throws(StateFileError) {
        let aside = "\(folder)/.\(name).new"
        try remove(aside)
        let descriptor = try create(aside)
        do {
            try append(bytes, to: descriptor)
            try sync(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        close(descriptor)
        try rename(aside, to: "\(folder)/\(name)")
        try syncFolder(folder)
    }

    /// Keeps a damaged file under `NAME.damaged` for whoever wants to look at it.
    package func setAside(_ folder: String, _ name: String) throws(StateFileError) {
        try rename("\(folder)/\(name)", to: "\(folder)/\(name).damaged")
        try syncFolder(folder)
    }
}
