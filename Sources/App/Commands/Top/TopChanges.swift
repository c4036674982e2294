import NodeRuntime

/// What `partyline top --plain` says: sentences, one a line, without control characters. A screen reader speaks them,
/// and a file or a pipe holds them.
package enum TopChanges {
    /// The state of a node in some lines.
    /// - Parameter readsKeys: whether a person can press keys; else a verb answers a call.
    package static func all(_ view: TopView, readsKeys: Bool = true) -> [String] {
        let (node, mesh) = (view.status.node, view.status.mesh)
        let links = "\(mesh.linksUp) of \(mesh.peersKnown) linked"
        let first = "\(Output.safe(node.name)) in \(node.access.word) mesh \(Output.safe(node.mesh)), \(links)"
        let peers = view.status.peers.map { "\(name($0, in: view)) \($0.stateSentence)" }
        let channels = view.channels.channels.filter(\.joined).map { channel in
            let members = Output.list(channel.members)
            let key = channel.talkKeys.isEmpty ? "" : ", a talk key speaks there"
            return "channel \(Output.safe(channel.name)): \(members.isEmpty ? "nobody else" : members)\(key)"
        }
        let closed = node.closedMeshNear ? [MeshAccess.closedMeshIsHere] : []
        let calls = OpenCall.all(view.status).map { "\($0.title), \($0.more)\(hint(readsKeys))" }
        let quiet = node.doNotDisturb ? [CallTable.doNotDisturb] : []
        let notes = calls + quiet + closed + troubles(view).map { "trouble: \($0)" }
        return [first] + notes + channels + peers + talkers(view)
    }

    /// What is different in `new`, and the events that `old` does not have.
    /// - Parameter readsKeys: as in `all`.
    package static func between(_ old: TopView, _ new: TopView, readsKeys: Bool = true) -> [String] {
        var lines = calls(old, new, readsKeys: readsKeys) + profile(old, new) + channels(old, new) + hearing(old, new)
        if own(old) != own(new) { lines.append(own(new)) }
        if let refusal = new.refusal, refusal != old.refusal { lines.append("not done: \(Output.safe(refusal))") }
        let (before, after) = (talkers(old), talkers(new))
        lines += before.filter { !after.contains($0) }.map { "no more: \($0)" }
        lines += after.filter { !before.contains($0) }
        let (wrong, wrongNow) = (troubles(old), troubles(new))
        let (known, knownNow) = (Set(wrong.map(withoutFigures)), Set(wrongNow.map(withoutFigures)))
        lines += wrong.filter { !knownNow.contains(withoutFigures($0)) }.map { "no more trouble: \($0)" }
        lines += wrongNow.filter { !known.contains(withoutFigures($0)) }.map { "trouble: \($0)" }
        let arrived = min(new.eventCount - old.eventCount, UInt64(new.events.count))
        lines += news(Array(new.events.suffix(Int(arrived))), old).map { "\($0.time) \(Output.safe($0.text))" }
        let leftOut = new.eventsLeftOut &- old.eventsLeftOut
        guard leftOut != 0 else { return lines }
        return lines + ["\(Int(clamping: leftOut).counted("more event")) came too fast to be shown"]
    }

    /// Reports the calls that have come since `old`, the calls that no longer wait, and a change of do-not-disturb.
    private static func calls(_ old: TopView, _ new: TopView, readsKeys: Bool) -> [String] {
        let (before, after) = (OpenCall.all(old.status), OpenCall.all(new.status))
        let (former, present) = (before.map(\.id), after.map(\.id))
        var lines = before.filter { !present.contains($0.id) }.map { "no more: \($0.title)" }
        lines += after.filter { !former.contains($0.id) }.map { "\($0.title)\(hint(readsKeys))" }
        let quiet = new.status.node.doNotDisturb
        if quiet != old.status.node.doNotDisturb {
            lines.append(quiet ? CallTable.doNotDisturb : "do-not-disturb is off")
        }
        return lines
    }

    /// Reports how this node introduces itself, if that has changed.
    private static func profile(_ old: TopView, _ new: TopView) -> [String] {
        let (former, present) = (old.status.node.profile, new.status.node.profile)
        return ProfileWords.fields.filter { former[$0] != present[$0] }.map { field -> String in
            let word = field.key.rawValue
            return present[field].map { "the \(word) is \(Output.safe($0)) now" } ?? "no \(word)"
        }
    }

    /// Reports the channels that this node has joined or parted since `old`, and how it takes part in those where that
    /// has changed. In another spelling, and after a renaming, it is the same channel. The new name is left to the
    /// event, if there is one: that also says who gave it.
    private static func channels(_ old: TopView, _ new: TopView) -> [String] {
        let (before, after) = (joined(old), joined(new))
        let formers = after.map { former(of: $0, in: before) }
        let parted = before.filter { channel in !formers.contains { $0?.name == channel.name } }
        return parted.map { "parted \($0.name)" }
            + zip(formers, after).flatMap { former, channel -> [String] in
                guard let former else { return ["joined \(channel.name): \(channel.manner)"] }
                let names = [former.name, channel.name]
                let told = new.events.compactMap(renaming).last { names.contains($0.former) || names.contains($0.now) }
                let isTold = told.map { $0 == (former.name, channel.name) } ?? false
                let isSame = former.name == channel.name
                return (isSame || isTold ? [] : ["channel \(former.name) is called \(channel.name) now"])
                    + (former.manner == channel.manner ? [] : ["channel \(channel.name): \(channel.manner)"])
            }
    }

    /// Returns these events but for one that tells a new name which `old` already has: its lists of channels may have
    /// been newer than its events. Where several new names are told at once, all are said, so that the last is the true
    /// one.
    private static func news(_ events: [TopView.Event], _ old: TopView) -> [TopView.Event] {
        let renamings = events.compactMap(renaming)
        guard renamings.count == 1, let told = renamings.first,
            joined(old).contains(where: { $0.name == told.now && $0.names.contains(told.former.lowercased()) })
        else { return events }
        return events.filter { renaming($0) == nil }
    }

    /// The names in an event that tells of a renaming or another spelling.
    private static func renaming(_ event: TopView.Event) -> (former: String, now: String)? {
        guard let former = event.details["channel"], let now = event.details["now"] else { return nil }
        return (former, now)
    }

    /// A channel of this node. `names` are the present one and the former ones, each in lower case.
    private typealias JoinedChannel = (name: String, names: [String], manner: String)

    private static func joined(_ view: TopView) -> [JoinedChannel] {
        view.channels.channels.filter(\.joined).map { channel in
            let key = channel.talkKeys.isEmpty ? "" : ", a talk key speaks there"
            let names = ([channel.name] + (channel.formerNames ?? [])).map { Output.safe($0).lowercased() }
            return (name: Output.safe(channel.name), names: names, manner: Output.safe(channel.manner) + key)
        }
    }

    /// The channel as it was before; nil if it is joined anew.
    private static func former(of channel: JoinedChannel, in before: [JoinedChannel]) -> JoinedChannel? {
        for name in channel.names {
            if let former = before.first(where: { $0.names.first == name }) { return former }
        }
        return nil
    }

    /// Reports how this node hears everything, and each peer that was linked before too, where that has changed.
    private static func hearing(_ old: TopView, _ new: TopView) -> [String] {
        let dimDb = new.status.audio.dimDb
        var lines = dimDb == old.status.audio.dimDb ? [] : [DimCommand.sentence(dimDb)]
        for peer in new.status.peers where peer.isLinked {
            guard let former = old.status.peers.first(where: { $0.id == peer.id }), former.isLinked,
                heard(peer) != heard(former)
            else { continue }
            lines.append("\(name(peer, in: new)): \(heard(peer))")
        }
        return lines
    }

    private static func heard(_ peer: StatusDocument.Peer) -> String {
        let words = (peer.muted ? ["muted"] : []) + HeardText.words(for: peer)
        return words.isEmpty ? "heard as it comes" : words.joined(separator: ", ")
    }

    private static func hint(_ readsKeys: Bool) -> String {
        readsKeys ? "; press a to answer" : "; `partyline answer` answers"
    }

    private static func own(_ view: TopView) -> String {
        if view.status.audio.speaking?.coughing == true { return "your microphone is off for a cough" }
        guard view.status.audio.talking else { return "you are silent" }
        let targets = view.talkTargets.joined(separator: ", ")
        return targets.isEmpty ? "you talk, on no channel" : "you talk on \(targets)"
    }

    /// A sentence for each peer that is heard, with the channels on which it is.
    private static func talkers(_ view: TopView) -> [String] {
        view.status.peers.filter { $0.talking && $0.talksTo == nil }.map { peer in
            let listed = view.channels.channels.filter { $0.joined || !$0.hidden }
            // The node lists the talkers of a channel with the mark of a name that is known under another key.
            let channels = listed.filter { $0.talking.map(Output.safe).contains(peer.listedName) }
            let place = Output.list(channels.map(\.name))
            return "\(name(peer, in: view)) talks" + (place.isEmpty ? "" : " on \(place)")
        } + ChannelTable.direct(view.channels)
    }

    private static func troubles(_ view: TopView) -> [String] {
        ([view.trouble].compactMap { $0 } + view.status.health + [MissingLinks.sentence(view.status)].compactMap { $0 })
            .map { Output.safe($0) }
    }

    /// A sentence without its figures: a trouble whose figures change is said once.
    private static func withoutFigures(_ trouble: String) -> String {
        trouble.replacing(/\b[0-9.]+ ((s|min|h|failures?)\b|%)/, with: "")
    }

    /// The name of a peer as lists have it, with its short id where this node or another peer has the name too.
    private static func name(_ peer: StatusDocument.Peer, in view: TopView) -> String {
        guard !peer.name.isEmpty else { return peer.listedName }
        let names = [view.status.node.name] + view.status.peers.map(\.name)
        let isShared = 1 < names.count { $0 == peer.name }
        return peer.listedName + (isShared ? " (\(Output.safe(peer.shortId)))" : "")
    }
}
