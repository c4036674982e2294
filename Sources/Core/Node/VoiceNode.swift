package import Channels
package import Mesh
package import Primitives
package import Voice
import Wire

/// One node of the party line as a value: the mesh, and over it the channel directory and the fan-out of the node's own
/// voice. Both shells run it: `NodeRuntime` with sockets and cards, the simulator with virtual time.
///
/// It is not copyable, as `MeshNode` is not.
///
/// The shell calls `handle` or `send`, then takes `nextOutput()` until nil, then sleeps until `nextDeadline`:
///
///     MeshInput ──► handle ──► MeshNode ──► outputs ──────────────────────────► nextOutput()
///                                 ▲            │ listeners, reports, paths
///                                 │ .voice     ▼
///     own frame ─► send ──────────┴─────── VoiceFanOut ──► encoder (read by the shell)
///
/// Mesh and directory are joined in `DirectoryTraffic.swift`. What the directory tells the shell comes out of
/// `nextDirectoryNote()`.
///
/// The encoder and the receiver are not here: they run on the threads of the sound cards.
package struct VoiceNode: ~Copyable {
    /// The shell reads its status here.
    package internal(set) var mesh: MeshNode
    /// The shell reads here how each listener is served, and what the encoder is to make.
    package private(set) var voice: VoiceFanOut
    /// The shell reads the channels of the mesh here.
    package internal(set) var directory: ChannelDirectory
    /// What the directory has told and the shell has yet to take.
    var directoryNotes: [DirectoryNote] = []
    /// The `now` of the input in progress, or of the last one.
    var handledAt = Instant.zero
    private var hasLeft = false

    /// - Parameters:
    ///   - voice: sends to a channel that `mesh` has in its list of channels.
    ///   - directory: knows the channels in that list.
    package init(_ mesh: consuming MeshNode, voice: VoiceFanOut, directory: ChannelDirectory) {
        self.mesh = mesh
        self.voice = voice
        self.directory = directory
    }

    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func handle(_ input: MeshInput, now: Instant) {
        handledAt = now
        switch input {
        case .command(.leave): hasLeft = true
        case .command(.setChannels(let channels)): directory.handle(.listens(channels), now: now)
        case .deadline: runDirectory(now: now)
        default: break
        }
        mesh.handle(input, now: now)
    }

    /// Sends a coded frame of this node's own voice to each listener of its channel. Frames come in the order of
    /// capture.
    ///
    /// - Parameter bytes: the coded frame. They are read during the call only.
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func send(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer, now: Instant) {
        handledAt = now
        voice.append(frame, bytes: bytes, now: now)
    }

    /// Sets whether the machine runs on its battery. The encoder then makes fewer packets a second.
    package mutating func setSavesPower(_ savesPower: Bool, now: Instant) {
        voice.setSavesPower(savesPower, now: now)
    }

    /// Returns the next output; nil if there is none. If the output concerns a listener of this node's voice, the
    /// fan-out has already been updated.
    package mutating func nextOutput() -> MeshOutput? {
        while true {
            if let output = mesh.nextOutput() {
                if handOver(output) { continue }
                updateListeners(by: output)
                return output
            }
            if sendForDirectory() { continue }
            // One payload at a time: each becomes its datagrams before the next one is made.
            guard let (slot, payload) = voice.nextPayload() else { return nil }
            mesh.handle(.voice(payload, to: slot), now: handledAt)
        }
    }

    /// The latest instant at which the shell must call again; nil where there is none.
    package var nextDeadline: MeshDeadline? {
        mutating get {
            let ofMesh = mesh.nextDeadline
            guard !hasLeft, directory.nextDeadline < ofMesh?.at ?? .distantFuture else { return ofMesh }
            return MeshDeadline(at: directory.nextDeadline, reason: .table)
        }
    }

    /// Updates the fan-out if the output tells something about a listener.
    private mutating func updateListeners(by output: borrowing MeshOutput) {
        switch output {
        case .peerReport(let report, let slot): voice.note(report, from: slot, now: handledAt)
        case .peerTakesPlain(let isTaken, let slot): voice.setTakesPlain(isTaken, of: slot, now: handledAt)
        case .event(.pathChanged(let slot, _, let path, _)):
            voice.setDirect(path == .direct, of: slot, now: handledAt)
        case .event(.peerChannels(let slot, _, let channels)): voice.setChannels(channels, of: slot, now: handledAt)
        case .event(.peerDown(let slot, _, _, _)): voice.forget(slot, now: handledAt)
        default: break
        }
    }
}
