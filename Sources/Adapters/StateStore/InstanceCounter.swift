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

        /// The value; nil if no file is intact.
        package var known: Instance? {
            switch self {
            case .instance(let instance), .instanceFromOneFile(let instance): instance
            case .missing, .damaged: nil
            }
        }
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
        let bytes = StateRecord.encoded(.instance, instance.bigEndianBytes)
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
        let count = Instance.byteCount...Instance.byteCount
        guard let payload = StateRecord.payload(.instance, count: count, of: bytes) else { return .damaged }
        return Instance(bigEndian: payload).map { .instance($0) } ?? .damaged
    }
}

/// An instance in a file of the state folder: 48 bits, big-endian.
extension Instance {
    static let byteCount = 6

    var bigEndianBytes: [UInt8] {
        stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// - Parameter bytes: `byteCount` bytes.
    init?(bigEndian bytes: some Sequence<UInt8>) {
        self.init(exactly: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
