import Primitives
package import StateStore

/// The closed mesh in a state folder, as far as a person is shown it.
package struct KeptMesh: Hashable, Sendable {
    package let name: String
    /// The code as it was typed or made; nil if this node does not know it.
    package let code: TypedCode?
    /// Whether others can enter the mesh by a code at this node, known as typed or not.
    package let hasCode: Bool
    /// The number of its newest secret.
    private let epoch: UInt32

    init(_ stored: StoredMesh) {
        name = stored.name
        epoch = stored.newest.number
        code = stored.code.flatMap { TypedCode($0) }
        hasCode = stored.codeKey != nil
    }

    /// Whether this is the code of the mesh, however it is typed; nil if this node does not know its code.
    package func has(_ typed: TypedCode) -> Bool? { code.map { $0.folded == typed.folded } }

    /// Whether a running node has taken part in a change of the code that is not kept here, because the disk did not
    /// take it. Then the code here is a former one.
    package func isOlder(than running: StatusDocument.Node) -> Bool { running.epoch.map { epoch < $0 } ?? false }

    /// Reads the mesh file, also while a node runs there. Nil if there is none: a node starts in an open mesh.
    /// - Throws: `damaged` or `unreadable`.
    package static func read(stateOf options: RunOptions) throws(MeshFileFault) -> KeptMesh? {
        try options.meshFile.known().map { KeptMesh($0) }
    }

    /// As `read`, for commands. A person may name the folder of a node that feeds programme. Its mesh is that of its
    /// main node.
    /// - Throws: `damaged` or `unreadable`.
    package static func shown(stateOf options: RunOptions) throws(MeshFileFault) -> KeptMesh? {
        // The folder may also be that of a main node with the name `programme`. Then there is no mesh file around it.
        // But a node with the name `mesh` has its folder at that path: that is no damaged mesh file.
        if let file = options.meshFileAround, let mesh = try file.knownUnlessDamaged() { return KeptMesh(mesh) }
        return try read(stateOf: options)
    }
}

extension RunOptions {
    /// Names a file in the state folder that this user may not read or write as a start does, with the reason, in a
    /// sentence; nil if there is no such file. The mesh file is not examined.
    package var stateFileRefusal: String? { NodeState.refusedFile(in: stateDirectory).map { "\($0)" } }

    /// The file with the closed mesh of the node.
    var meshFile: MeshFile<LinuxFileSystem> { MeshFile(folder: meshDirectory ?? stateDirectory) }

    /// The mesh file of the main node, if the state folder has the name of that of a node which feeds programme.
    fileprivate var meshFileAround: MeshFile<LinuxFileSystem>? {
        let parts = stateDirectory.split(separator: "/").map(String.init)
        guard parts.last == RunOptions.programmeFolder else { return nil }
        return MeshFile(folder: "/" + parts.dropLast().joined(separator: "/"))
    }

    /// The closed mesh in the mesh file, of which the node is a member from its start on; nil if there is none, and
    /// the mesh is open.
    /// - Throws: `MeshFileFault` if the file does not say which mesh is meant, or is missing although the settings name
    ///   a code file: another command can have left the mesh after this node entered it.
    func closedMesh() throws(MeshFileFault) -> StoredMesh? {
        guard let stored = try meshFile.known() else {
            if let codeFile { throw .notEntered(codeFile: codeFile) }
            return nil
        }
        if case .option = meshPlace, mesh != stored.name { throw .otherName(wanted: mesh, member: stored.name) }
        return stored
    }

    /// The warning if a file of settings names another mesh than the closed one in which the node is; nil if none does.
    /// The name in the file does not count then.
    package func overruledName(in member: String) -> String? {
        guard case .file(let path, let line) = meshPlace, mesh != member else { return nil }
        let place = SafeText.inSentence(path + (line.map { ":\($0)" } ?? ""))
        return "\(place) names the mesh \(MeshAccess.shown(mesh)), which does not count: this node is in the closed "
            + "mesh \(MeshAccess.shown(member))"
    }

    /// The options with the name of the closed mesh in which the node is; as they are in an open one.
    func inside(_ mesh: StoredMesh?) -> RunOptions {
        guard let mesh else { return self }
        var options = self
        options.mesh = mesh.name
        return options
    }
}

/// Why a node does not start, or a command does not go on: the mesh file does not say clearly which mesh is meant.
package enum MeshFileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is damaged. The node was a member of a closed mesh, and must not start in an open one instead.
    case damaged(path: String)
    /// The file cannot be read now.
    case unreadable(StateFileError)
    /// `--mesh` names another mesh.
    case otherName(wanted: String, member: String)
    /// The settings name a code file, and the node is in no closed mesh.
    case notEntered(codeFile: String)

    package var description: String {
        switch self {
        case .damaged(let path):
            """
            the mesh file \(path) is damaged, so it is not known in which closed mesh this node is, and no node starts \
            with it. Enter the mesh again with its code: `partyline enter`. To leave it for an open mesh: \
            `partyline init --open`
            """
        case .unreadable(let error):
            "it is not known whether this node is in a closed mesh, and no node starts until it is: \(error)"
        case .notEntered(let file):
            """
            the node does not start in an open mesh: the settings name the code file \(SafeText(file)), and the node \
            is in no closed mesh
            """
        case .otherName(let wanted, let member):
            """
            this node is in the closed mesh \(SafeText(member)), so it cannot start in the mesh \(SafeText(wanted)); \
            leave out --mesh, use another --name for a second node, or leave the closed mesh: \
            `partyline init --open`
            """
        }
    }
}

extension MeshFile {
    /// The mesh of the file; nil if there is no file.
    /// - Throws: `damaged` or `unreadable`.
    func known() throws(MeshFileFault) -> StoredMesh? {
        let content: StoredMesh.Reading
        do {
            content = try read()
        } catch {
            throw .unreadable(error)
        }
        switch content {
        case .mesh(let mesh) where mesh.hasSoundEntry: return mesh
        case .missing: return nil
        case .mesh, .damaged: throw .damaged(path: path)
        }
    }

    /// The mesh of the file; nil if there is no file, or if it is damaged.
    /// - Throws: `unreadable`.
    func knownUnlessDamaged() throws(MeshFileFault) -> StoredMesh? {
        do throws(MeshFileFault) {
            return try known()
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }
}
