package import Primitives

/// The count of this identity's starts: 48 bits in a file and in its backup.
///
/// Both are durable before the node sends anything, so whichever of them survives names the last
/// instance that anybody can have seen. After a crash between the two they differ by a start that
/// never spoke.
package struct InstanceCounter<Files: StateFileSystem> {
    static var names: [String] { ["instance", "instance.bak"] }

    private let folder: String
    private let files: Files

    package init(folder: String, files: Files) {
        self.folder = folder
        self.files = files
    }

    /// What the two files say.
    package enum Reading: Equatable {
        case instance(Instance)
        /// One file is lost or damaged; the other one says so.
        case instanceFromOneFile(Instance)
        /// There was never a count, or nothing is left of it.
        case missing
        case damaged
    }

    /// Never throws: a file that cannot be read is a damaged one.
    package func read() -> Reading {
        let found = Self.names.map(read)
        let instances = found.compactMap { if case .instance(let instance) = $0 { instance } else { nil } }
        guard let highest = instances.max() else { return found.contains(.damaged) ? .damaged : .missing }
        return instances.count == Self.names.count ? .instance(highest) : .instanceFromOneFile(highest)
    }

    /// Returns when both files are durable.
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
        guard let payload = StateRecord.payload(.instance, count: 6, of: bytes) else { return .damaged }
        return Instance(exactly: payload.reduce(0) { $0 << 8 | UInt64($1) }).map { .instance($0) } ?? .damaged
    }
}
