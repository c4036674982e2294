package import Channels
import Mesh
package import Primitives

/// Mesh and the codes of channels, joined: the mesh brings sessions and steps of proofs, and is told by which tags it
/// names the channels to each peer.
///
///     MeshNode ── sessionBegan, channelJoin, peerDown ──► ChannelCodes ──► notes for the shell: slow work, events
///         ▲                                                    │  ▲                                 │
///         └────────────── channelJoin, channelTags ────────────┘  └──────────── worked ─────────────┘
extension VoiceNode {
    /// Tells the codes of channels what this node holds, or the result of slow work.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func handle(_ input: ChannelCodeInput, now: Instant) {
        handledAt = now
        codes.handle(input, now: now)
    }

    mutating func runCodes(now: Instant) {
        if codes.nextDeadline <= now { codes.handle(.deadline, now: now) }
    }

    /// Tells the codes of an output of the mesh that concerns them. Returns whether it was for them alone.
    mutating func handOverToCodes(_ output: borrowing MeshOutput) -> Bool {
        switch output {
        case .sessionBegan(let slot, let node, let nonces):
            codes.handle(.sessionBegan(slot, node, nonces: nonces), now: handledAt)
        case .channelJoin(let join, let slot):
            codes.handle(.join(join, from: slot), now: handledAt)
            return true
        case .event(.peerDown(let slot, _, _, _)): codes.handle(.peerDown(slot), now: handledAt)
        default: break
        }
        return false
    }

    /// Performs the next output of the codes; returns false if there is none.
    mutating func sendForCodes() -> Bool {
        guard codes.hasOutputs, let output = codes.nextOutput() else { return false }
        switch output {
        case .send(let join, let slot): mesh.handle(.channelJoin(join, to: slot), now: handledAt)
        case .tags(let tags, let slot):
            mesh.handle(.channelTags(tags, of: slot), now: handledAt)
            showTalkAgain()
        case .note(let note): notes.append(.code(note))
        }
        return true
    }
}
