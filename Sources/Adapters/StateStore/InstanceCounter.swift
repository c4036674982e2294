package import Primitives

/// The instance counter: the number of starts of this identity, 48 bits, in a file and a backup of it.
///
/// Both files are durable before the node sends anything, so each of them has the last instance that a peer can have
/// seen. If the machine crashes after the first file was written, the files differ by one start, which has sent
/// nothing.
package struct InstanceCounter<Files: StateFileSystem> {
    static var names: [String] { ["instance", "instance.bak"] }

    private let folder: String
    private let files: Files

    package init(folder: String, files: Files) {
        self.folder = folder
        self.files = files
    }

    /// The content of the two files.
    package enum Reading: Equatable {
        case instance(Instance)
        /// One file is lost or damaged; the value is from the other.
        case instanceFromOneFile(Instance)
        /// Neither file exists.
        case missing
        /// No file is intact.
        case damaged
    }

    /// Reads both files, and returns the higher value. A file that cannot be read counts as damaged.
    package func read() -> Reading {
        let found = Self.names.map(read)
        let instances = found.compactMap { if case .instance(let instance) = $0 { instance } else { nil } }
        guard let highest = instances.max() else { return found.contains(.damaged) ? .damaged : .missing }
        return instances.count == Self.names.count ? .instance(highest) : .instanceFromOneFile(highest)
    }

    /// Stores the instance, and returns when both files are durable.
    /// - Throws: the error of the file operation that failed; the first file may then have the new value.
    package func write(_ instance: Instance) throws(StateFileError) {
        let payload = stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: instance.number >> $0) }
        let bytes = StateRecord.encoded(.instance, payload)
        for name in Self.names { try files.replaceDurably(folder, name, with: bytes) }
    }

    private func read(_ name: String) -> Reading {
        let bytes: [UInt8]?
        do {
            bytes = try files.read("\(folder)/\(name)", bytesMax: StateLimits.recordFileBytesMax)
        } catch {
            return .damaged
        }
        guard let bytes else { return .missing }
        guard let payload = StateRecord.payload(.instance, count: 6...6, of: bytes) else { return .damaged }
        return Instance(exactly: payload.reduce(0) { $0 << 8 | UInt64($1) }).map { .instance($0) } ?? .damaged
    }
}
