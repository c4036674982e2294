package import Primitives

/// The closed mesh of which this node is a member, as it lies in the state folder.
package struct StoredMesh: Hashable, Sendable {
    /// The secret of one epoch.
    package struct Epoch: Hashable, Sendable {
        /// At least 1.
        package let number: UInt32
        /// `StoredMesh.secretBytes` bytes.
        package let secret: [UInt8]

        package init(number: UInt32, secret: [UInt8]) {
            self.number = number
            self.secret = secret
        }
    }

    /// The content of a mesh file.
    package enum Reading: Hashable, Sendable {
        case mesh(StoredMesh)
        /// The node is in an open mesh.
        case missing
        /// There was a closed mesh. The node must not start in an open one instead.
        case damaged
    }

    package static let secretBytes = 32

    package let id: MeshID
    /// The name for people, 1 to `StateLimits.meshNameBytesMax` bytes of UTF-8.
    package let name: String
    package let newest: Epoch
    /// The epoch before the newest; nil if this node does not have its secret.
    package let older: Epoch?
    /// The key of the code of the mesh, `secretBytes` bytes; nil if this node cannot admit anybody.
    package let codeKey: [UInt8]?
    /// The code as a person typed it or as `init` made it, 1 to `StateLimits.codeBytesMax` bytes; nil if this node
    /// does not know it.
    package let code: String?
    /// The newest epoch entry, 1 to `StateLimits.epochEntryBytesMax` bytes; nil if the code was never changed.
    package let entry: [UInt8]?
    /// The nodes that have proved the newest epoch to this node, `StateLimits.provedMax` at most.
    package let proved: [NodeID]

    /// Nil if a value breaks one of the bounds above, or `older` has no lower number than `newest`.
    package init?(
        id: MeshID, name: String, newest: Epoch, older: Epoch?, codeKey: [UInt8]?, code: String?,
        entry: [UInt8]? = nil, proved: [NodeID] = []
    ) {
        let secrets = [newest.secret, older?.secret, codeKey].compactMap(\.self)
        guard (1...StateLimits.meshNameBytesMax).contains(name.utf8.count), 1 <= newest.number,
            older.map({ 1 <= $0.number && $0.number < newest.number }) ?? true,
            secrets.allSatisfy({ $0.count == StoredMesh.secretBytes }),
            code.map({ (1...StateLimits.codeBytesMax).contains($0.utf8.count) }) ?? true,
            entry.map({ (1...StateLimits.epochEntryBytesMax).contains($0.count) }) ?? true,
            proved.count <= StateLimits.provedMax
        else { return nil }
        self.id = id
        self.name = name
        self.newest = newest
        self.older = older
        self.codeKey = codeKey
        self.code = code
        self.entry = entry
        self.proved = proved
    }
}

extension StoredMesh: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "mesh \(name), epoch \(newest.number) (hidden)" }
    package var debugDescription: String { description }
    /// Without the secrets, which `dump` would print otherwise.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension StoredMesh.Epoch: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "epoch \(number) (hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
