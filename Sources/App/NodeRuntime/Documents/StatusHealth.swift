import AudioIO
import Channels
package import Mesh
import Node
package import Primitives
import Recording
import Wire

/// Limits from which on a figure of a peer counts as a problem.
package enum StatusHealth {
    /// The least loss of a linked peer's packets that is a problem, in percent.
    package static let lossPctMin = 5.0
}

/// The problems of this node and its mesh, in sentences for people.
extension StatusSources {
    /// One line for each problem; empty if there is none.
    var troubles: [String] {
        var lines = warnings + [node.watch.networkLack].compactMap { $0 }
        if !mesh.peers.contains(where: \.state.isLinked) { lines += fruitlessPeers }
        if let words = audio.troubles { lines.append("audio: \(words)") }
        if let words = node.programme?.audio.devices.input.trouble(as: "input", isStuck: false) {
            lines.append("programme: \(words)")
        }
        if let failure = node.parts.recorder.status.failure {
            lines.append("the recording has ended by itself: \(failure); `partyline record stop` ends this note")
        }
        lines += [node.recordingTrouble, node.tracksTrouble, node.unkeptChanges].compactMap { $0 }
        if let duplicate { lines.append(DuplicateIdentities.line(of: duplicate)) }
        let lacking = node.channelsWithoutCode.filter { node.code(of: node.core.directory.id(of: $0)) == nil }
        lines += lacking.map { NodeLoop.missingCode(of: $0) }
        lines += node.deletedChannelWarnings + node.silencedKeyWarnings
        if mesh.isLeftBehind {
            lines.append(MeshAccess.leftBehind)
        } else if node.core.mesh.lacksCode {
            lines.append("\(MeshAccess.withoutCode); for a new one: `partyline code change`")
        }
        if node.core.listening.list.entries.isEmpty {
            lines.append("this node is on no channel, so it hears nobody there: `partyline join NAME`")
        }
        if let low = node.power.lowPercent { lines.append("the battery of this machine is at \(low) %") }
        lines += [split, lost].compactMap { $0 }
        if 4 <= mesh.localHealth { lines.append("this node stands still now and then; it judges nobody quickly") }
        let ownLook = node.ownLook
        for peer in mesh.peers {
            let name = peer.name.nonEmpty ?? peer.node.short
            if peer.isHere, node.peerDirectory.keys.look(of: peer.name, at: peer.node) == ownLook {
                lines.append(KnownKeyWords.namesake(peer.node, named: peer.name))
            }
            if let rival = node.rival(of: peer) {
                lines.append("peer " + KnownKeyWords.warning(peer.node, named: peer.name, rival: rival))
            }
            switch peer.state {
            case _ where peer.isFlapping: lines.append("peer \(name): comes and goes; its changes are not reported")
            case _ where peer.suspicionEndsAt != nil:
                lines.append("peer \(name): silent, dead unless it answers within \(remaining(of: peer))")
            case .verifying: lines.append("peer \(name): silent, being asked")
            case .awaitingDecision where peer.request == nil:
                lines.append("peer \(name): \(RefusalReason.undecided.words)")
            case .down where peer.failure == .refused(.notAllowed):
                lines.append("peer \(name): \(RefusalReason.notAllowed.words)")
            case .quarantined where crew.misses(peer):
                lines.append("peer \(name): left alone after \(peer.failures) failures")
            case .up:
                if let detour = peer.detour(nameOf: self.name(of:)) {
                    lines.append("peer \(name): \(detour)")
                } else if StatusHealth.lossPctMin <= Double(peer.lossInPermille) / 10 {
                    lines.append("peer \(name): \(Double(peer.lossInPermille) / 10) % of its packets are lost")
                }
            default: break
            }
        }
        return lines
    }

    /// What is known of another node with the identity of this one; nil if none is.
    var duplicate: String? {
        let isRefused = node.watch.duplicates.contains(mesh.node, now: now)
        guard isRefused || mesh.duplicate != nil else { return nil }
        return DuplicateIdentities.finding(mesh.duplicate, isRefused: isRefused, timeOfDay: timeOfDay(at:))
    }

    /// The peers that a split has cut off. They count as dead after some seconds, and the mesh no longer misses them,
    /// but people expect them back.
    var split: String? {
        guard let cutOff = missed.cutOff else { return nil }
        return LostPeers.warning(
            lost: cutOff.peers.map(node.peerDirectory.name(of:)),
            of: cutOff.peers.count + mesh.peers.count { $0.state.isLinked }, since: timeOfDay(at: cutOff.since))
    }

    /// The peers that were lost alone. They count as dead, but people expect them back.
    var lost: String? {
        let peers = missed.alone.map { (name: node.peerDirectory.name(of: $0.peer), since: timeOfDay(at: $0.since)) }
        return peers.isEmpty ? nil : LostPeers.warning(alone: peers)
    }

    /// The local time of day at an instant in the past, for example `14:03`.
    private func timeOfDay(at instant: Instant) -> String {
        TimeOfDay.minutes(takenUnixSeconds - (now - instant).seconds)
    }

    /// The time that a suspected peer has left to answer.
    private func remaining(of peer: PeerStatus) -> String {
        "\(Int(max(0, ((peer.suspicionEndsAt ?? now) - now).seconds.rounded(.up)))) s"
    }
}

extension PeerStatus {
    /// Which of voice and TLS takes another way to a linked peer than the direct one, and which way; nil where both go
    /// directly.
    package func detour(nameOf: (NodeID) -> String) -> String? {
        switch (carrierVia, via) {
        case (nil, nil): path == .carrier ? "UDP does not pass, voice goes through TCP" : nil
        case (nil, let helper?) where hasCarrier: "UDP does not pass directly, voice goes via \(nameOf(helper))"
        case (nil, let helper?): "no direct way, voice goes via \(nameOf(helper))"
        case (let carrier?, nil) where path == .direct:
            "TCP does not pass directly, TLS goes via \(nameOf(carrier))"
        case (let carrier?, let helper?) where carrier != helper:
            "no direct way, voice goes via \(nameOf(helper)), and TLS via \(nameOf(carrier))"
        case (let carrier?, _): "no direct way, voice and TLS go via \(nameOf(carrier))"
        }
    }
}

extension AudioStatus {
    /// The problems of the devices; nil if there is none.
    var troubles: String? {
        let second = second.map { ("output2", $0.device, $0.isStuck) }
        let sides = [("input", input, isInputStuck), ("output", output, isOutputStuck)] + (second.map { [$0] } ?? [])
        let troubles = sides.compactMap { side, device, isStuck -> String? in
            device.trouble(as: side, isStuck: isStuck)
        }
        return troubles.isEmpty ? nil : troubles.joined(separator: "; ")
    }
}

extension DeviceStatus {
    /// The problem of a device; nil if there is none.
    ///
    /// - Parameter side: how people know the device, for example `input`.
    fileprivate func trouble(as side: String, isStuck: Bool) -> String? {
        switch state {
        case .opening where isStuck, .running where isStuck: "\(side) \(device) does not answer"
        case .running: lossOfSound(as: side).map { "\(side) \(device): \($0)" }
        case .opening: "\(side) \(device) is being opened"
        case .reopening(let reason): "\(side) \(device): \(reason); trying again"
        case .stopped: "\(side) \(device) has stopped"
        }
    }
}
