package import Channels
import Mesh
package import Primitives
package import Wire

/// Mesh and calls, joined: the mesh brings frames and peers, the calls send over the mesh.
///
///     MeshNode ── call, peerUp, peerDown, peerListens ──► Calls ──► events for the shell
///         ▲                                                 │
///         └────────────────────── call ─────────────────────┘
extension VoiceNode {
    /// Carries out a person's command about calls. Returns the number of the call or request that it makes.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func perform(_ command: CallCommand, now: Instant) throws(CallRefusal) -> CallID? {
        handledAt = now
        return try calls.perform(command, now: now)
    }

    /// Takes what peers may ask of this node from now on.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func grant(_ grants: CallGrants, now: Instant) {
        handledAt = now
        calls.handle(.grants(grants), now: now)
    }

    mutating func runCalls(now: Instant) {
        if calls.nextDeadline <= now { calls.handle(.deadline, now: now) }
    }

    /// Hands an output of the mesh to the calls. Returns whether it was for the calls alone.
    mutating func handOverToCalls(_ output: borrowing MeshOutput) -> Bool {
        switch output {
        case .call(let message, let slot):
            calls.handle(.message(message, from: slot), now: handledAt)
            return true
        case .event(.peerUp(let slot, let node, _, _)): calls.handle(.peerUp(slot, node), now: handledAt)
        case .event(.peerDown(let slot, _, _, _)): calls.handle(.peerDown(slot), now: handledAt)
        case .peerListens(let channels, _, let slot): calls.handle(.peerListens(slot, channels), now: handledAt)
        default: break
        }
        return false
    }

    /// Performs the next output of the calls; returns false if there is none.
    mutating func sendForCalls() -> Bool {
        guard calls.hasOutputs, let output = calls.nextOutput() else { return false }
        switch output {
        case .send(let message, let slot): mesh.handle(.call(message, to: slot), now: handledAt)
        case .event(let event):
            // A reply speaks to the last caller of whom a person was told.
            if case .called(let call) = event, call.state == .shown { setCaller(call.key.caller) }
            notes.append(.call(event))
        }
        return true
    }
}
