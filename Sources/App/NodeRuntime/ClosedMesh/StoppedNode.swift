import AudioIO
import Primitives
package import StateStore

/// The state folder of a node that does not run, while a command changes it. The folder is locked, so no node starts
/// there meanwhile. The calls block for the disk.
package final class StoppedNode: Sendable {
    private let state: NodeState
    private let folder: String
    private var file: MeshFile<LinuxFileSystem> { MeshFile(folder: folder) }

    /// Locks the folder. The identity is made if there is none, and the start counts as one of the node.
    /// - Throws: `running` or `notWritable`.
    package init(_ options: RunOptions) throws(StoppedNodeError) {
        do {
            state = try NodeState(folder: options.stateDirectory, unixSeconds: WallTime.seconds()) {
                OSRandom.bytes(count: 32)
            }
        } catch {
            throw .running(error)
        }
        if state.isGuest {
            state.close()
            // No node runs here, so the words about a guest would mislead.
            for case .guest(let error) in state.warnings { throw .notWritable("\(error)") }
            throw .notWritable("the instance counter in \(options.stateDirectory) is used up; remove that folder")
        }
        folder = options.stateDirectory
    }

    /// The private Ed25519 key, 32 raw bytes.
    var identity: [UInt8] { state.key }
    var instance: Instance { state.instance }

    /// The closed mesh of the node; nil if it is in an open one.
    /// - Throws: `damaged` or `unreadable`.
    package var mesh: KeptMesh? {
        get throws(MeshFileFault) { try file.known().map { KeptMesh($0) } }
    }

    /// The closed mesh that another one would replace; nil if the node is in an open one, or if the mesh file is
    /// damaged (another mesh mends that).
    /// - Throws: `unreadable`.
    package var meshToReplace: KeptMesh? {
        get throws(MeshFileFault) { try file.knownUnlessDamaged().map { KeptMesh($0) } }
    }

    /// Makes a closed mesh of which this node is the first member, in place of the one that it had. Durable when it
    /// returns. It takes a tenth of a second and 64 MiB.
    /// - Throws: `badName`, `sameCode`, `noMemory` or `notWritable`.
    package func found(_ name: String, code: TypedCode) throws(StoppedNodeError) -> KeptMesh {
        guard let codeKey = code.key() else { throw .noMemory }
        let former: StoredMesh?
        do throws(MeshFileFault) {
            former = try file.knownUnlessDamaged()
        } catch {
            throw .notWritable("\(error)")
        }
        if let former, former.codeKey == codeKey { throw .sameCode }
        guard let mesh = StoredMesh.founded(name: name, code: code, codeKey: codeKey) else { throw .badName(name) }
        try store(mesh, keepsDamaged: false)
        return KeptMesh(mesh)
    }

    /// Leaves the closed mesh: from the next start on the node is in an open one. Durable when it returns.
    /// - Throws: `notWritable`.
    package func removeMesh() throws(StoppedNodeError) {
        do {
            try file.remove()
        } catch {
            throw .notWritable("\(error)")
        }
    }

    /// How the node would introduce itself at its next start.
    /// - Throws: `notWritable` if the database cannot be read.
    package func profile(_ options: RunOptions) throws(StoppedNodeError) -> ProfileWords {
        ProfileWords(options.startProfile(try remembered().profile))
    }

    /// Keeps how the node introduces itself, for its next starts. An absent field keeps its value. Durable when it
    /// returns.
    /// - Throws: `notKept`.
    package func keep(_ profile: ProfileWords) throws(StoppedNodeError) {
        guard !profile.kept.isEmpty else { return }
        state.database.remember(profile: profile.kept)
        try awaitKept()
    }

    /// The devices that the node would use at its next start.
    /// - Throws: `notWritable` if the database cannot be read.
    package func devices(_ options: RunOptions) throws(StoppedNodeError) -> DeviceWords {
        let recalled = options.recalling(try remembered())
        return DeviceWords(input: recalled.input.description, output: recalled.output.description)
    }

    /// Keeps devices for the next starts; options and files override them. An absent one stays as it is. Durable when
    /// it returns.
    /// - Throws: `notKept`.
    package func keep(_ devices: DeviceWords) throws(StoppedNodeError) {
        guard devices.input != nil || devices.output != nil else { return }
        for (side, device) in [(DeviceSetRequest.Side.input, devices.input), (.output, devices.output)] {
            if let device { state.database.remember(device: device, as: side.rawValue) }
        }
        try awaitKept()
    }

    /// Releases the folder. Nothing may be called afterwards.
    package func close() { state.close() }

    private func remembered() throws(StoppedNodeError) -> Remembered {
        do throws(UnreadableDatabase) {
            return try state.database.load()
        } catch {
            throw .notWritable("\(error)")
        }
    }

    /// - Throws: `notKept` if a change of this command did not reach the disk.
    private func awaitKept() throws(StoppedNodeError) {
        for case .databaseInMemory(let why) in state.warnings { throw .notKept(why) }
        state.database.flush()
        if let lost = state.database.changes.lastLost { throw .notKept(lost.why) }
    }

    /// - Parameter keepsDamaged: as `MeshFile.write` has it.
    func store(_ mesh: StoredMesh, keepsDamaged: Bool) throws(StoppedNodeError) {
        do {
            try file.write(mesh, keepsDamaged: keepsDamaged)
        } catch {
            throw .notWritable("\(error)")
        }
    }
}

package enum StoppedNodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A node runs with this folder.
    case running(StateFolderTaken)
    /// The folder cannot be written; the text is the reason.
    case notWritable(String)
    /// The database does not take what a person chose for the next starts; the text is the reason.
    case notKept(String)
    /// A mesh has a name of 1 to 64 bytes.
    case badName(String)
    /// The mesh that is replaced has this code, so each of its members would come into the new one.
    case sameCode
    /// There are not 64 MiB for the key of the code.
    case noMemory

    package var description: String {
        switch self {
        case .running(let taken):
            "a node is running with the state folder \(taken.folder); stop it first: `partyline stop`"
        case .notWritable(let why): "nothing was kept: \(why)"
        case .notKept(let why): "your choices are not kept for the next start: \(why)"
        case .badName: "the name of a mesh has 1 to \(StateLimits.meshNameBytesMax) bytes"
        case .sameCode:
            """
            the mesh that is replaced has this code, so each of its members would come into the new one; choose \
            another code
            """
        case .noMemory: "the key of the code needs 64 MiB of memory"
        }
    }
}
