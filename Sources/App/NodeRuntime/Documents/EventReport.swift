package import Channels
package import Mesh
package import Primitives
package import Recording
package import StateStore
import Trust
import Wire

/// An event as `partyline events` shows it: its kind, the peer that it is about, and one sentence.
package struct EventReport {
    package var kind: EventKind
    package var peer: NodeID?
    package var name: String?
    package var text: String
    package var details: [String: String] = [:]
    /// Whether the peer comes and goes; nil if the event is of another kind.
    private(set) var isFlapping: Bool?

    /// - Parameters:
    ///   - nameOf: the display name of a node, already fit for a terminal.
    ///   - formerNameOf: the name before that, if it is known. A copy of a node may bring another name.
    ///   - channels: the names of the channels in the event (`NodeLoop.channelNames`).
    ///   - isPart: whether lost peers are missed.
    package init(
        _ event: MeshEvent, nameOf: (NodeID) -> String, formerNameOf: (NodeID) -> String? = { _ in nil },
        channels: [String] = [], isPart: Bool = false
    ) {
        switch event {
        case .peerUp(_, let node, let instance, let name):
            self.init(.peerUp, node, name.string, "\(name) is here", ["instance": "\(instance)"])
        case .pathChanged(_, let node, let path, let neighbour):
            let way = neighbour.map { "through \(nameOf($0))" } ?? path.words
            self.init(
                .pathChanged, node, nameOf(node), "\(nameOf(node)) is now reached \(way)",
                ["path": path.word, "via": neighbour?.text ?? ""].filter { !$0.value.isEmpty })
        case .peerVerifying(_, let node):
            self.init(.peerVerifying, node, nameOf(node), "\(nameOf(node)) has gone silent; asking")
        case .peerDown(_, let node, let instance, let reason):
            let details = ["instance": "\(instance)", "reason": reason.word]
            self.init(.peerDown, node, nameOf(node), "the link to \(nameOf(node)) is down: \(reason.words)", details)
        case .peerSuspected, .peerDead, .peerFlapping: self.init(verdict: event, nameOf: nameOf)
        case .peerProfile(let node, let profile):
            self.init(profile, of: node, former: nameOf(node))
        case .peerChannels, .peerTalking: self.init(event, on: channels, nameOf: nameOf)
        case .peerRecording(_, let node, let isRecording):
            let text = "\(nameOf(node)) \(isRecording ? "records what it hears" : "has stopped recording")"
            self.init(.peerRecording, node, nameOf(node), text, ["recording": "\(isRecording)"])
        case .peerAdvanced(_, let node, let instance):
            let text = "\(nameOf(node)) goes on as start \(instance): \(EventReport.laterStart)"
            self.init(.peerAdvanced, node, nameOf(node), text, ["instance": "\(instance)"])
        case .ownInstanceAdvanced(let instance):
            let text = "this node goes on as start \(instance): \(EventReport.laterStart)"
            self.init(.ownInstanceAdvanced, nil, nil, text, ["instance": "\(instance)"])
        case .ghostDropped(let node, let instance):
            let text = "an old start of \(nameOf(node)) was turned away"
            self.init(.ghostDropped, node, nameOf(node), text, ["instance": "\(instance)"])
        case .holeRepaired(let node):
            self.init(.holeRepaired, node, nameOf(node), "\(nameOf(node)) was found through a neighbour")
        case .quarantined(let node, _):
            self.init(.quarantined, node, nameOf(node), "\(nameOf(node)) failed too often; left alone for a while")
        case .duplicateIdentity(let node):
            let former = formerNameOf(node).map { ", called \($0) before," } ?? ""
            let text = "\(nameOf(node))\(former) runs twice; the later start is refused"
            self.init(.duplicateIdentity, node, nameOf(node), text)
        case .refused(let node, let reason):
            self.init(
                .refused, node, nameOf(node), "\(nameOf(node)) refused: \(reason.words)", ["reason": reason.word])
        case .admissionAsked(let node, let name):
            let text = "\(name) (\(node.short)) asks to be linked: `partyline accept \(node.short)`, or `deny`"
            self.init(.invitationAsked, node, name.string, text, ["id": node.text])
        case .wordsCompared(let node, let words, let isOwn):
            self.init(words, with: node, named: nameOf(node), isOwn: isOwn)
        case .probeAnswered(_, let node, let rtt):
            let details = ["rtt_us": "\(rtt.microseconds)"]
            self.init(.probeAnswered, node, nameOf(node), "\(nameOf(node)) answered after \(rtt)", details)
        case .cliqueComplete(let count): self.init(completeWith: count, isPart: isPart)
        case .cliqueBroken: self.init(.cliqueBroken, nil, nil, "somebody does not hear somebody")
        case .codeChanged(let epoch, let maker, let neighbour, let left, let hasCode):
            self.init(codeChangedBy: maker, through: neighbour, epoch, left: left, hasCode: hasCode, nameOf: nameOf)
        case .pairing(let event): self.init(pairing: event, nameOf: nameOf)
        case .leftBehind(let node):
            self.init(.leftBehind, node, nameOf(node), "\(nameOf(node)) refuses this node: \(MeshAccess.leftBehind)")
        }
    }

    /// All nodes with which the mesh expects links hear each other. It expects none with lost peers that count as dead.
    private init(completeWith peerCount: Int, isPart: Bool) {
        let whole = "everybody hears everybody: \(peerCount.counted("peer"))"
        self.init(.cliqueComplete, nil, nil, isPart ? LostPeers.partWords(linked: peerCount) : whole)
    }

    /// The channels to which a peer listens, or on which it talks.
    /// - Parameter names: the names of the channels. A name may have a comma, and has no line feed.
    private init(_ event: MeshEvent, on names: [String], nameOf: (NodeID) -> String) {
        let list = names.joined(separator: ", ")
        var details: [String: String] = names.isEmpty ? [:] : ["channels": names.joined(separator: "\n")]
        switch event {
        case .peerChannels(_, let node, let channels):
            let text = "\(nameOf(node)) is on \(channels.count.counted("channel"))"
            // The list lacks the channels whose names this node does not know.
            let more = names.count < channels.count ? " and \(channels.count - names.count) more" : ""
            self.init(.peerChannels, node, nameOf(node), text + (list.isEmpty ? "" : ": \(list)\(more)"), details)
        case .peerTalking(_, let node, let isTalking):
            details["talking"] = "\(isTalking)"
            let text = "\(nameOf(node)) \(isTalking ? "talks" : "stops talking")"
            self.init(.talking, node, nameOf(node), text + (list.isEmpty ? "" : " on \(list)"), details)
        default: illegal("\(event)", in: "the report of channels")
        }
    }

    /// Why a node goes on under a higher instance. A copy that is gone and a restored backup look alike.
    private static let laterStart =
        "its identity was seen with a later start, of a copy or from before a backup was restored"

    /// A peer has introduced itself anew.
    /// - Parameter former: its name until now.
    private init(_ profile: NodeProfile, of node: NodeID, former: String) {
        let (name, words) = (profile.name.string, ProfileWords(profile))
        let isRenamed = former != name
        var details: [String: String] = [:]
        if isRenamed { details["former"] = former }
        var more: [String] = []
        for field in ProfileWords.fields where field.key != .nick {
            guard let shown = words[field] else { continue }
            details[field.key.rawValue] = shown
            more.append("\(field.key.rawValue) \(shown)")
        }
        let what = isRenamed ? "\(former) is now called \(name)" : "\(name) introduces itself anew"
        let text = what + (more.isEmpty ? "" : ": " + more.joined(separator: ", "))
        self.init(.peerProfile, node, name, text, details)
    }

    /// - Parameters:
    ///   - neighbour: the node that has brought the change, if the maker is not linked.
    ///   - left: the nodes that are left behind.
    private init(
        codeChangedBy maker: NodeID, through neighbour: NodeID?, _ epoch: UInt32, left: [NodeID], hasCode: Bool,
        nameOf: (NodeID) -> String
    ) {
        let names = left.map(nameOf)
        let way =
            neighbour.map { "; it has no link with this node, and the change came through \(nameOf($0))" } ?? ""
        self.init(
            .codeChanged, maker, nameOf(maker),
            "\(nameOf(maker)) changed the code of the mesh\(way)"
                + (left.isEmpty ? "" : "; left behind: \(names.joined(separator: ", "))")
                + (hasCode ? "" : "; nobody can enter until the code is changed again"),
            ["epoch": "\(epoch)", "left_behind": names.joined(separator: "\n")])
    }

    private init(pairing event: PairingEvent, nameOf: (NodeID) -> String) {
        func closed(_ why: String, _ reason: String) -> EventReport {
            EventReport(.pairingClosed, nil, nil, "the pairing window is closed: \(why)", ["reason": reason])
        }
        // The name of a node that nobody has met is its short id.
        func shown(_ node: NodeID) -> String {
            nameOf(node) == node.short ? node.short : "\(nameOf(node)) (\(node.short))"
        }
        switch event {
        case .failed(let node, let left):
            self.init(
                .pairingFailed, node, nameOf(node),
                "\(shown(node)) did not complete the comparison of the pairing code (wrong code, or broken off); "
                    + "\(left == 1 ? "1 try" : "\(left) tries") left",
                ["id": node.text, "left": "\(left)"])
        case .closed(.admitted(let node)):
            self.init(
                .paired, node, nameOf(node),
                "\(shown(node)) was given the secret of the mesh by the pairing code, and the window is closed. "
                    + "Is that the id at its `enter`? If not: `partyline code change --leave \(node.short)`",
                ["id": node.text])
        case .closed(.failures):
            self = closed("three failures. For other digits: `partyline code pair`", "failures")
        case .closed(.time): self = closed("nobody came in within five minutes", "time")
        case .closed(.person): self = closed("by a person", "person")
        case .closed(.replaced): self = closed("another one has taken its place", "replaced")
        case .closed(.codeChanged): self = closed("the code of the mesh was changed", "code_changed")
        }
    }

    /// - Parameter isOwn: whether this node began to compare words.
    private init(_ words: ComparedWords, with node: NodeID, named name: String, isOwn: Bool) {
        let text =
            "\(name) (\(node.short)) and you compare words: \(words.text). If both of you read the same: "
            + "`partyline verify \(node.short) --yes`"
        self.init(
            .wordsCompared, node, name, text, ["id": node.text, "words": words.text, "own": "\(isOwn)"])
    }

    /// For the verdict on a node, and for flapping.
    private init(verdict event: MeshEvent, nameOf: (NodeID) -> String) {
        switch event {
        case .peerSuspected(let node):
            self.init(.peerSuspected, node, nameOf(node), "\(nameOf(node)) may be dead; others are asked")
        case .peerDead(let node, let instance):
            self.init(
                .peerDead, node, nameOf(node), "\(nameOf(node)) counts as dead", ["instance": "\(instance)"])
        case .peerFlapping(let node, let isFlapping):
            let text =
                isFlapping
                ? "\(nameOf(node)) comes and goes; its changes are no longer reported"
                : "\(nameOf(node)) is steady again"
            self.init(.peerFlapping, node, nameOf(node), text, ["flapping": "\(isFlapping)"])
            self.isFlapping = isFlapping
        default: illegal("\(event)", in: "the report of a verdict")
        }
    }

    /// A node of the mesh was found, or is no longer in it.
    package static func found(_ change: FoundNodes.Change) -> EventReport {
        let name = change.name.isEmpty ? change.node.short : change.name.string
        let text = change.isFound ? "\(name) was found" : "\(name) is no longer in the mesh"
        return EventReport(change.isFound ? .discovered : .lost, change.node, name, text, ["id": change.node.text])
    }

    /// A peer has a name that is known under another key.
    /// - Parameter isOwnName: whether the name is that of this node. Then `rival` is the key of this node.
    package static func keyChanged(
        _ node: NodeID, named name: SafeText, rival: KnownKey, isOwnName: Bool
    ) -> EventReport {
        let text =
            isOwnName
            ? KnownKeyWords.namesake(node, named: name) : KnownKeyWords.warning(node, named: name, rival: rival)
        return EventReport(
            .keyChanged, node, name.string, text,
            [
                "id": node.text, "known_id": rival.node.text, "known_name": rival.name.string,
                "last_seen_unix_s": "\(rival.lastSeenUnixSeconds)",
            ])
    }

    /// The node that has come in by a pairing code is linked, so its name is known.
    package static func paired(_ node: NodeID, named name: SafeText) -> EventReport {
        EventReport(
            .paired, node, name.string, "\(name) (\(node.short)) is the node that came in by the pairing code",
            ["id": node.text])
    }

    /// This node is in an open mesh, and a closed one is on its network.
    package static let closedMesh = EventReport(.closedMesh, nil, nil, MeshAccess.closedMeshIsHere)

    /// Several peers are out of reach at once.
    /// - Parameters:
    ///   - lost: their names.
    ///   - linked: the number of peers that are linked.
    package static func meshSplit(lost: [String], linked: Int) -> EventReport {
        EventReport(
            .meshSplit, nil, nil,
            "the mesh has split: \(lost.joined(separator: ", ")) out of reach, \(linked) linked",
            ["peers": lost.joined(separator: "\n"), "linked": "\(linked)"])
    }

    /// No peer of the last split is missed any more. The person may have forgotten or left behind all of them.
    package static func meshHealed(linked: Int) -> EventReport {
        EventReport(
            .meshHealed, nil, nil, "no peer of the last split is missed any more: \(linked) linked",
            ["linked": "\(linked)"])
    }

    /// This node stood still for `gap`.
    package static func resumed(gap: Interval) -> EventReport {
        let seconds = "\(gap.milliseconds / 1_000).\(gap.milliseconds % 1_000 / 100)"
        return EventReport(.resumed, nil, nil, "this node stood still for \(seconds) s", ["gap_s": seconds])
    }

    /// This machine has no network, or has one again.
    /// - Parameter lack: what is missing, in a sentence; nil if nothing is.
    package static func network(lack: String?) -> EventReport {
        guard let lack else { return EventReport(.networkBack, nil, nil, "this machine has a network again") }
        return EventReport(.networkLost, nil, nil, lack)
    }

    /// A sound device is lost, loses sound, or is back.
    package static func device(_ change: DeviceWatch.Change) -> EventReport {
        let place = ["side": change.side, "device": change.device]
        guard let reason = change.reason else {
            let count = Int(clamping: change.lostSamples)
            let lost = count == 0 ? "" : "; lost, and silent in the file: \(count.counted("sample"))"
            return EventReport(.deviceBack, nil, nil, "\(change.side) \(change.device) runs again\(lost)", place)
        }
        let loss =
            change.isOpen
            ? "loses sound: \(reason)"
            : "is lost: \(reason); it is tried again. `partyline devices` lists what there is, `partyline doctor` "
                + "looks for the cause"
        return EventReport(
            .deviceLost, nil, nil, "\(change.side) \(change.device) \(loss)",
            place.merging(["reason": reason]) { $1 })
    }

    /// A person chose another sound device, and it runs.
    package static func deviceChanged(side: String, device: String) -> EventReport {
        EventReport(
            .deviceChanged, nil, nil, "\(side) is \(device) now", ["side": side, "device": device])
    }

    /// - Parameters:
    ///   - nameOf: the display name of a node, already fit for a terminal.
    ///   - channelName: the name of a channel; nil if it is not in the directory.
    package init(
        _ event: DirectoryEvent, nameOf: (NodeID) -> String, channelName: (ChannelID) -> String?
    ) {
        switch event {
        case .created(_, let name, let creator):
            let details = ["channel": name.string, "creator": creator.text]
            self.init(.channelCreated, creator, nameOf(creator), "\(nameOf(creator)) created \(name)", details)
        case .replaced(_, let name, let creator):
            let details = ["channel": name.string, "creator": creator.text]
            let sentence = "\(nameOf(creator)) created \(name) anew: it is another channel than before"
            self.init(.channelCreated, creator, nameOf(creator), sentence, details)
        case .deleted(_, let name, let editor, let now):
            let newName = now.flatMap(channelName)
            let place = newName.map { " to \($0)" } ?? "; its new name is not known here"
            let what = now == nil ? "deleted \(name)" : "renamed \(name)\(place)"
            var details = ["channel": name.string, "by": editor.text]
            details["now"] = newName
            self.init(.channelDeleted, editor, nameOf(editor), "\(nameOf(editor)) \(what)", details)
        case .respelled(_, let former, let name, let creator):
            let details = ["channel": former.string, "by": creator.text, "now": name.string]
            let sentence = "\(nameOf(creator)) renamed \(former) to \(name)"
            self.init(.channelDeleted, creator, nameOf(creator), sentence, details)
        }
    }

    /// A talk key was held beyond its limit and has been let go.
    package static func keyStuck(_ key: String, limit: Interval) -> EventReport {
        let (seconds, tenths) = (limit.milliseconds / 1_000, limit.milliseconds % 1_000 / 100)
        let text = tenths == 0 ? "\(seconds)" : "\(seconds).\(tenths)"
        return EventReport(
            .talkKeyStuck, nil, nil, "the key '\(key)' was held for \(text) s and has been let go",
            ["key": key, "limit_s": text])
    }

    /// A talk key has gone down, or lost its channels or its last listener while it was down. Nobody gets its voice.
    package static func unheard(_ why: String, key: String) -> EventReport {
        EventReport(.talkUnheard, nil, nil, why, ["key": key])
    }

    /// The free key was down, and an order about channels led it to others.
    package static func talkEnded(_ why: String, key: String, channels: [String]) -> EventReport {
        EventReport(.talkEnded, nil, nil, why, ["key": key, "channels": channels.joined(separator: "\n")])
    }

    /// The microphone heard the loudspeaker in a loop, and was turned down.
    package static func howl(count: UInt64) -> EventReport {
        EventReport(.howl, nil, nil, "feedback: the microphone has been turned down", ["count": "\(count)"])
    }

    /// The machine has gone over to its battery, or back.
    package static func powerSaving(_ isOnBattery: Bool) -> EventReport {
        let text = isOnBattery ? "on battery: longer frames and fewer wake-ups" : "no longer on battery"
        return EventReport(.powerSaving, nil, nil, text, ["on_battery": "\(isOnBattery)"])
    }

    package static func batteryLow(percent: Int) -> EventReport {
        EventReport(
            .batteryLow, nil, nil, "the battery of this machine is at \(percent) %", ["charge_pct": "\(percent)"])
    }

    package static func recordingStarted(in folder: String) -> EventReport {
        EventReport(.recordingStarted, nil, nil, "recording into \(folder)", ["folder": folder])
    }

    package static func recordingStopped(in folder: String, piecesLost: Int = 0) -> EventReport {
        let length = RecordingDocument.length(ofPieces: piecesLost)
        let loss = piecesLost == 0 ? "" : ", without \(length) of sound: the disk was too slow"
        return EventReport(
            .recordingStopped, nil, nil, "recorded into \(folder)\(loss)",
            ["folder": folder, "lost_s": RecordingDocument.seconds(ofPieces: piecesLost)])
    }

    /// The recording has ended by itself, or the disk has not taken it whole at its end. The node goes on.
    package static func recordingFailed(
        _ end: RecordingEnd, in folder: String, piecesLost: Int = 0
    ) -> EventReport {
        let loss = RecordingDocument.loss(ofPieces: piecesLost)
        return EventReport(
            .recordingFailed, nil, nil, "the recording into \(folder) has failed: \(end)\(loss)",
            [
                "folder": folder, "reason": "\(end)",
                "lost_s": RecordingDocument.seconds(ofPieces: piecesLost),
            ])
    }

    init(_ kind: EventKind, _ peer: NodeID?, _ name: String?, _ text: String, _ details: [String: String] = [:]) {
        self.kind = kind
        self.peer = peer
        self.name = name
        self.text = text
        self.details = details
    }
}
