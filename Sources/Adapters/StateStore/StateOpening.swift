package import Primitives

/// Reads key and instance from a locked state folder, and makes what is missing.
package enum StateOpening {
    /// The identity of the node in this start.
    package struct Outcome {
        /// The private Ed25519 key, 32 raw bytes.
        package var key: [UInt8]
        /// Whether the key is only in memory.
        package var isGuest: Bool
        /// Durable, unless the node is a guest.
        package var instance: Instance
        /// Faults of the folder.
        package var warnings: [StateWarning]
    }

    /// Opens a folder that the caller has locked. If the key cannot be read, or key or counter cannot be written, the
    /// node becomes a guest.
    package static func open(
        folder: String, files: some StateFileSystem, unixSeconds: UInt64, newKey: () -> [UInt8]
    ) -> Outcome {
        do {
            return try owner(folder: folder, files: files, unixSeconds: unixSeconds, newKey: newKey)
        } catch {
            return guest(.guest(error), newKey: newKey)
        }
    }

    static func guest(_ warning: StateWarning, newKey: () -> [UInt8]) -> Outcome {
        Outcome(key: newKey(), isGuest: true, instance: first, warnings: [warning])
    }

    private static func owner(
        folder: String, files: some StateFileSystem, unixSeconds: UInt64, newKey: () -> [UInt8]
    ) throws(StateFileError) -> Outcome {
        let identity = IdentityFile(folder: folder, files: files)
        let counter = InstanceCounter(folder: folder, files: files)
        let found = try identity.read()
        let counted = counter.read()
        var warnings: [StateWarning] = []
        let key: [UInt8]
        switch found {
        case .key(let kept):
            key = kept
        case .missing, .damaged:
            key = newKey()
            try identity.write(key, over: found)
            if found == .damaged {
                warnings.append(.identityWasDamaged)
            } else if counted != .missing {
                warnings.append(.identityWasLost)
            }
        }
        let last: UInt64
        switch counted {
        case .instance(let instance):
            last = instance.number
        case .instanceFromOneFile(let instance):
            last = instance.number
            warnings.append(.counterFromOneFile)
        case .missing where key != keptKey(found):
            // A new identity starts at 1.
            last = 0
        case .missing, .damaged:
            last = min(unixSeconds, Instance.max.number - 1)
            warnings.append(.counterWasLost)
        }
        guard let next = Instance(exactly: last + 1) else { return guest(.counterExhausted, newKey: newKey) }
        try counter.write(next)
        return Outcome(key: key, isGuest: false, instance: next, warnings: warnings)
    }

    private static func keptKey<Files>(_ content: IdentityFile<Files>.Content) -> [UInt8]? {
        if case .key(let key) = content { key } else { nil }
    }

    private static let first: Instance = {
        guard let one = Instance(exactly: 1) else { illegal("1", in: "making an instance") }
        return one
    }()
}
