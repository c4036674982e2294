import StateStore

/// The closed mesh in a state folder, as far as a person is shown it.
package struct KeptMesh: Hashable, Sendable {
    package let name: String
    /// The code as it was typed or made; nil if this node does not know it.
    package let code: TypedCode?
    /// Whether others can enter the mesh by a code at this node, known as typed or not.
    package let hasCode: Bool

    init(_ stored: StoredMesh) {
        name = stored.name
        code = stored.code.flatMap { TypedCode($0) }
        hasCode = stored.codeKey != nil
    }

    /// Whether this is the code of the mesh, however it is typed; nil if this node does not know its code.
    package func has(_ typed: TypedCode) -> Bool? { code.map { $0.folded == typed.folded } }

    /// Reads the mesh file, also while a node runs there. Nil if there is none: a node starts in an open mesh.
    /// - Throws: `damaged` or `unreadable`.
    package static func read(stateOf options: RunOptions) throws(MeshFileFault) -> KeptMesh? {
        try options.meshFile.known().map { KeptMesh($0) }
    }
}
