package import Channels
import Mesh
package import Primitives
package import Wire

/// What the parts of a node beside the mesh tell the shell.
package enum NodeNote: Sendable {
    case directory(DirectoryNote)
    /// What has happened to a call.
    case call(CallEvent)
    case code(ChannelCodeNote)
}

extension VoiceNode {
    /// Returns the next note, in the order in which they came; nil if there is none. Call it after `runUntilOutput()`
    /// has returned nil.
    package mutating func nextNote() -> NodeNote? { notes.isEmpty ? nil : notes.removeFirst() }
}

/// What the directory tells the shell.
package enum DirectoryNote: Hashable, Sendable {
    /// The shell keeps an entry across restarts, in place of an earlier one of the channel.
    case store(ChannelID, [UInt8])
    case forget(ChannelID)
    case event(DirectoryEvent)
    /// Another node than its creator has deleted a channel to which this node listens. This node cannot undo that.
    case notTakenBack(ChannelID, name: SafeText, DirectoryRefusal)
    /// This node takes part in the second channel as it did in the first, which was renamed to it.
    case followed(ChannelID, to: ChannelID)
}

/// Mesh and directory, joined: the mesh brings frames, digests and neighbours, the directory sends over the mesh.
///
///     MeshNode ── sessionBegan, table, tableDigests, peerDown, peerChannels ──► ChannelDirectory
///         ▲                                                                           │
///         └──────────────────────── table, tableDigest ───────────────────────────────┤
///                                                         notes for the shell ◄───────┘
extension VoiceNode {
    /// Tells the directory the time of day (seconds since 1970), what this node uses, or what the shell has kept.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func handle(_ input: DirectoryInput, now: Instant) {
        handledAt = now
        directory.handle(input, now: now)
    }

    /// Carries out a person's command.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    /// - Throws: the `DirectoryRefusal` that says why it was not carried out.
    package mutating func perform(_ command: DirectoryCommand, now: Instant) throws(DirectoryRefusal) {
        handledAt = now
        try directory.perform(command, now: now)
    }

    mutating func runDirectory(now: Instant) {
        if directory.nextDeadline <= now { directory.handle(.deadline, now: now) }
    }

    /// Hands an output of the mesh to the directory. Returns whether it was for the directory alone.
    mutating func handOver(_ output: borrowing MeshOutput) -> Bool {
        switch output {
        case .sessionBegan(let slot, let node, let nonces):
            directory.handle(.sessionBegan(slot, node, nonces: nonces), now: handledAt)
        case .table(let message, let slot): directory.handle(.message(message, from: slot), now: handledAt)
        case .tableDigests(let digests, let slot, let rtt):
            directory.handle(.digests(digests, from: slot, rtt: rtt), now: handledAt)
        case .event(.peerChannels(let slot, _, let channels)):
            directory.handle(.peerListens(slot, channels), now: handledAt)
            return false
        case .event(.peerDown(let slot, _, _, _)):
            directory.handle(.peerDown(slot), now: handledAt)
            return false
        default: return false
        }
        return true
    }

    /// Takes part in the successor of one renamed channel; the keys that spoke on the old channel speak on the
    /// successor. Returns false if there is no renaming to follow. One at a time: the outputs of one are made before
    /// the next is followed.
    mutating func followRenaming() -> Bool {
        guard mayFollow else { return false }
        for channel in listening.list.entries.map(\.channel) + keys.channels {
            guard directory.table[channel]?.isLive == false, let successor = directory.successor(of: channel) else {
                continue
            }
            followByKeys(channel, to: successor)
            guard listening.list[channel] != nil else { return true }
            do throws(ListeningRefusal) {
                perform(try listening.handle(.follow(channel, to: successor)))
            } catch { illegal("\(error)", in: "following a channel of the list") }
            notes.append(.directory(.followed(channel, to: successor)))
            return true
        }
        mayFollow = false
        return false
    }

    /// Performs the next output of the directory; returns false if there is none.
    mutating func sendForDirectory() -> Bool {
        guard directory.hasOutputs, let output = directory.nextOutput() else { return false }
        switch output {
        case .send(let message, let slot): mesh.handle(.table(message, to: slot), now: handledAt)
        case .sendDigest(let digest, let slot, let isUrgent):
            mesh.handle(.tableDigest(digest, to: slot, isUrgent: isUrgent), now: handledAt)
        case .store(let channel, let bytes):
            notes.append(.directory(.store(channel, bytes)))
            mayFollow = true
        case .forget(let channel): notes.append(.directory(.forget(channel)))
        case .event(let event): notes.append(.directory(.event(event)))
        case .notTakenBack(let channel, let name, let refusal):
            notes.append(.directory(.notTakenBack(channel, name: name, refusal)))
        }
        return true
    }
}

/// Mesh and calls, joined: the mesh brings frames and peers, the calls send over the mesh.
///
///     MeshNode ── call, peerUp, peerDown, peerListens ──► Calls ──► events for the shell
///         ▲                                                 │
///         └────────────────────── call ─────────────────────┘
extension VoiceNode {
    /// Carries out a person's command about calls. Returns the number of the call or request that it makes.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    /// - Throws: the `CallRefusal` that says why the command was not carried out.
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
            // A session that wakes still has its proofs, so no new tags come. Talk may have begun while it slept.
            showTalkAgain()
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
