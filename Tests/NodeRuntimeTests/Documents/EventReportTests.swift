import Channels
import Mesh
import NodeRuntime
import Primitives
import Recording
import StateStore
import Testing
import Trust
import Wire

@Suite("events")
struct EventReportTests {
    private let node = NodeID(words: (1, 0, 0, 1))
    private let slot = PeerSlot(index: 0)
    private let instance = Instance(exactly: 7)!

    /// The words of a run in which this test plays both sides.
    private var words: ComparedWords {
        var comparison = WordComparison()
        let pair = WordPair(
            in: MeshID(high: 1, low: 2), own: node, peer: NodeID(words: (2, 0, 0, 2)), with: TransparentSealing(seed: 1)
        )
        let nonce = [UInt8](repeating: 1, count: 32)
        _ = comparison.begin(pair, nonce: nonce, now: .zero)
        guard case .opens(_, let words) = comparison.receive(.answer(nonce), pair, nonce: nonce, now: .zero) else {
            preconditionFailure("an answer ends the run")
        }
        return words
    }

    /// One event of every kind, and two of `path_changed`: with and without a neighbour.
    private var reports: [EventReport] {
        let ofMesh: [MeshEvent] = [
            .peerUp(slot, node, instance, name: SafeText("Ada")), .peerDown(slot, node, instance, .silent),
            .peerVerifying(slot, node), .pathChanged(slot, node, .direct, through: nil),
            .pathChanged(slot, node, .relay, through: node), .peerSuspected(node), .peerDead(node, instance),
            .peerFlapping(node, true), .peerAdvanced(slot, node, instance), .ownInstanceAdvanced(instance),
            .peerChannels(slot, node, []),
            .peerProfile(node, NodeProfile(name: SafeText("Ada"), role: SafeText("lighting"), colour: 0xFF_B300)),
            .peerRecording(slot, node, true), .peerTalking(slot, node, true),
            .admissionAsked(node, name: SafeText("Ada")), .refused(node, .full),
            .quarantined(node, until: .zero), .duplicateIdentity(node), .ghostDropped(node, instance),
            .holeRepaired(node), .probeAnswered(slot, node, rtt: .milliseconds(2)), .cliqueComplete(peerCount: 3),
            .cliqueBroken, .codeChanged(epoch: 2, by: node, through: nil, left: [node], hasCode: true),
            .leftBehind(by: node),
            .pairing(.failed(by: node, left: 2)), .pairing(.failed(by: node, left: 0)),
            .pairing(.closed(.admitted(node))), .pairing(.closed(.failures)), .pairing(.closed(.time)),
            .pairing(.closed(.person)), .pairing(.closed(.codeChanged)), .pairing(.closed(.replaced)),
            .wordsCompared(node, words, isOwn: true),
        ]
        let channel = ChannelID(high: 1, low: 2)
        let ofDirectory: [DirectoryEvent] = [
            .created(channel, name: SafeText("lights"), creator: node),
            .deleted(channel, name: SafeText("lights"), by: node, now: channel),
            .deleted(channel, name: SafeText("lights"), by: node, now: nil),
        ]
        let ofChannels = ofDirectory.map { event in
            EventReport(event, nameOf: { _ in "Ada" }, channelName: { _ in "rig" })
        }
        let ofCalls = callEvents.map { event in
            EventReport(event, nameOf: { _ in "Ada" }, channelName: { _ in "rig" })
        }
        let ofCodes = [ChannelCodeEvent.proved(channel, by: node), .nobodyHas(channel)].compactMap { event in
            EventReport(event, channelName: { _ in ChannelName("lights", hasCode: true) }, nameOf: { _ in "Ada" })
        }
        let renamed = EventReport(
            .peerProfile(node, NodeProfile(name: SafeText("Ada"))), nameOf: { _ in "Bob" })
        let ofMeshTold = ofMesh.map { EventReport($0, nameOf: { _ in "Ada" }, channels: ["lights", "rig"]) }
        return ofMeshTold + ofChannels + ofCalls + ofCodes + [
            renamed,
            visitor(hasJoined: true), visitor(hasJoined: false),
            .directTalk(.privately, of: node, isTalking: true, nameOf: { _ in "Ada" }),
            .directTalk(.toAll, of: node, isTalking: false, nameOf: { _ in "Ada" }),
            .unheard("nobody hears key 'a': no peer is linked", key: "a"),
            .talkEnded("the talk key has been let go", key: "talk", channels: ["rig"]),
            .keyStuck("talk", limit: .seconds(120)), .howl(count: 1), .powerSaving(true), .batteryLow(percent: 9),
            .recordingStarted(in: "/r"), .recordingStopped(in: "/r"), .recordingFailed(.full, in: "/r"),
            .found(FoundNodes.Change(node: node, name: SafeText("Ada"), isFound: true)),
            .found(FoundNodes.Change(node: node, name: SafeText("Ada"), isFound: false)),
            .keyChanged(
                node, named: SafeText("Ada"),
                rival: KnownKey(
                    node: NodeID(words: (2, 0, 0, 2)), name: SafeText("ada"), seenUnixSeconds: 0, trust: .met),
                isOwnName: false),
            .meshSplit(lost: ["Ada", "Bob"], linked: 1), .meshHealed(linked: 3), .closedMesh,
            .resumed(gap: .milliseconds(2_300)), .network(lack: "this machine has no network"), .network(lack: nil),
            .device(DeviceWatch.Change(side: "input", device: "alsa:default", reason: "unplugged")),
            .device(DeviceWatch.Change(side: "output", device: "null", reason: nil)),
            .duplicate(of: node, named: "Ada", at: IPAddress(v4: 0x0A00_0009)),
            .deviceChanged(side: "output", device: "alsa:hw:1,0"),
        ]
    }

    private func visitor(hasJoined: Bool) -> EventReport {
        .visitor(
            ChannelVisitors.Change(node: node, channel: ChannelID(high: 1, low: 2), hasJoined: hasJoined),
            nameOf: { _ in "Ada" }, channelName: { _ in "rig" })
    }

    private var callEvents: [CallEvent] {
        let (channel, id) = (ChannelID(high: 1, low: 2), CallID(number: 0xA1))
        var calls = Calls(of: NodeID(words: (2, 0, 0, 0)), grants: CallGrants(), listened: [channel], seed: 1)
        calls.handle(.peerUp(slot, node), now: .zero)
        let frame = CallFrame(
            id: id, target: .channel(channel), text: SafeText("ready?"), expiresMilliseconds: 1_000, isUrgent: true)
        calls.handle(.message(.call(frame), from: slot), now: .zero)
        let call = calls.incoming[0]
        return [
            .called(call), .withdrawn(call), .missed(call), .answered(id, by: node, .accepted),
            .expired(id, waiting: [node]), .closeAsked(by: node, of: node, on: channel),
            .closeOrdered(by: node, on: channel, isGranted: true), .closeAnswered(by: node, isObeyed: true),
        ]
    }

    @Test("the sentence about a call that is taken back or missed says which one, as its caller may have others open")
    func whichCall() {
        func text(of kind: EventKind) -> String? { reports.first { $0.kind == kind }?.text }
        #expect(text(of: .callWithdrawn) == "Ada no longer calls channel rig: ready?")
        #expect(text(of: .callMissed) == "the call of Ada to channel rig was not answered: ready?")
    }

    @Test("the sentences about one loss differ, and each is more certain than the one before")
    func loss() {
        let events: [MeshEvent] = [
            .peerVerifying(slot, node), .peerDown(slot, node, instance, .silent), .peerSuspected(node),
            .peerDead(node, instance),
        ]
        let lost = EventReport.found(FoundNodes.Change(node: node, name: SafeText("Ada"), isFound: false))
        #expect(
            events.map { EventReport($0, nameOf: { _ in "Ada" }).text } + [lost.text] == [
                "Ada has gone silent; asking", "the link to Ada is down: silent, and no probe was answered",
                "Ada may be dead; others are asked", "Ada counts as dead", "Ada is no longer in the mesh",
            ])
    }

    @Test("a node that runs twice is told with its former name too, as a copy may have brought another one")
    func twice() {
        func text(former: String?) -> String {
            EventReport(.duplicateIdentity(node), nameOf: { _ in "Copy" }, formerNameOf: { _ in former }).text
        }
        #expect(text(former: nil) == "Copy runs twice; the later start is refused")
        #expect(text(former: "Sound") == "Copy, called Sound before, runs twice; the later start is refused")
    }

    @Test("a number stands with its noun in the right form")
    func counted() {
        func text(_ event: MeshEvent) -> String { EventReport(event, nameOf: { _ in "Ada" }).text }
        #expect(text(.cliqueComplete(peerCount: 1)) == "everybody hears everybody: 1 peer")
        #expect(text(.cliqueComplete(peerCount: 3)) == "everybody hears everybody: 3 peers")
        #expect(text(.peerChannels(slot, node, [])) == "Ada is on 0 channels")
    }

    @Test("a call that do-not-disturb has declined is not told like one that is shown", arguments: [false, true])
    func quietCall(isQuiet: Bool) throws {
        var calls = Calls(of: NodeID(words: (2, 0, 0, 0)), grants: CallGrants(), listened: [], seed: 1)
        calls.handle(.peerUp(slot, node), now: .zero)
        _ = try calls.perform(.setDoNotDisturb(isQuiet), now: .zero)
        let frame = CallFrame(
            id: CallID(number: 0xA1), target: .receiver, text: SafeText("ready?"), expiresMilliseconds: 1_000,
            isUrgent: false)
        calls.handle(.message(.call(frame), from: slot), now: .zero)
        let report = EventReport(.called(calls.incoming[0]), nameOf: { _ in "Ada" }, channelName: { _ in "rig" })
        let unseen = isQuiet ? " (not shown and declined: do-not-disturb is on)" : ""
        #expect(report.text == "Ada calls you: ready?\(unseen)" && report.details["shown"] == "\(!isQuiet)")
    }

    @Test("a mesh that is complete only without lost peers is not called everybody")
    func completePart() {
        let report = EventReport(.cliqueComplete(peerCount: 1), nameOf: { _ in "Ada" }, isPart: true)
        #expect(report.kind == .cliqueComplete && report.text == "the 2 that are left hear each other")
    }

    @Test("the channels of a peer stand in the sentence, and in the details one a line: a name may have a comma")
    func channels() {
        func report(_ event: MeshEvent, _ names: [String]) -> EventReport {
            EventReport(event, nameOf: { _ in "Ada" }, channels: names)
        }
        let talks = report(.peerTalking(slot, node, true), ["LX, left", "rig"])
        #expect(talks.text == "Ada talks on LX, left, rig")
        #expect(talks.details == ["talking": "true", "channels": "LX, left\nrig"])
        #expect(report(.peerTalking(slot, node, false), []).details == ["talking": "false"])
        let channels = [ChannelID(high: 1, low: 2), ChannelID(high: 1, low: 3)]
        let listens = report(.peerChannels(slot, node, channels), ["rig"])
        #expect(listens.text == "Ada is on 2 channels: rig and 1 more" && listens.details == ["channels": "rig"])
        #expect(report(.peerChannels(slot, node, channels), ["rig", "LX"]).text == "Ada is on 2 channels: rig, LX")
        #expect(report(.peerChannels(slot, node, channels), []).text == "Ada is on 2 channels")
    }

    @Test("a renamed channel is not called deleted, also while its new name is not known")
    func renamedChannel() {
        func text(now: ChannelID?, newName: String?) -> String {
            let event = DirectoryEvent.deleted(
                ChannelID(high: 1, low: 2), name: SafeText("lights"), by: node, now: now)
            return EventReport(event, nameOf: { _ in "Ada" }, channelName: { _ in newName }).text
        }
        let new = ChannelID(high: 1, low: 3)
        #expect(text(now: new, newName: "rig") == "Ada renamed lights to rig")
        #expect(text(now: new, newName: nil) == "Ada renamed lights; its new name is not known here")
        #expect(text(now: nil, newName: nil) == "Ada deleted lights")
    }

    @Test("every kind has an event, with exactly the fields of the table")
    func fields() {
        #expect(Set(reports.map(\.kind)) == Set(EventKind.allCases))
        for kind in EventKind.allCases {
            let fields = reports.filter { $0.kind == kind }.reduce(into: Set()) { $0.formUnion($1.details.keys) }
            #expect(fields == Set(kind.entry.fields), "\(kind)")
        }
    }

    @Test("a new name is told with the former one, and the other fields by what they are now")
    func profiles() {
        let texts = reports.filter { $0.kind == .peerProfile }.map(\.text)
        #expect(
            texts == ["Ada introduces itself anew: role lighting, colour #ffb300", "Bob is now called Ada"])
    }

    @Test("a warning of a peer with the name of this node says whose name it is")
    func ownName() {
        let own = KnownKey(node: NodeID(words: (2, 0, 0, 2)), name: SafeText("Ada"), seenUnixSeconds: 0, trust: .met)
        let texts = [true, false].map { isOwnName in
            EventReport.keyChanged(node, named: SafeText("Ada"), rival: own, isOwnName: isOwnName).text
        }
        #expect(texts[0].contains("has the name of this node") && texts[1].contains("another key than the Ada known"))
    }

    @Test("a list of names in the details has one a line, since a name may hold a comma")
    func lists() {
        let nameOf = { (id: NodeID) in id == node ? "Ada, FOH" : "Bob" }
        let nodes = [node, NodeID(words: (2, 0, 0, 2))]
        let changed = MeshEvent.codeChanged(epoch: 2, by: node, through: nil, left: nodes, hasCode: true)
        let expired = CallEvent.expired(CallID(number: 1), waiting: nodes)
        let reports = [
            EventReport(changed, nameOf: nameOf), EventReport(expired, nameOf: nameOf, channelName: { _ in "rig" }),
            .meshSplit(lost: ["Ada, FOH", "Bob"], linked: 1),
        ]
        for report in reports {
            let names = report.details["left_behind"] ?? report.details["peers"]
            #expect(names == "Ada, FOH\nBob" && report.text.contains("Ada, FOH, Bob"), "\(report.kind)")
        }
    }

    @Test("the meaning of `peer_down` and of `refused` lists every reason")
    func reasons() {
        for reason in DownReason.allCases {
            let report = EventReport(.peerDown(slot, node, instance, reason), nameOf: { _ in "Ada" })
            #expect(EventKind.peerDown.entry.meaning.contains("`\(report.details["reason"] ?? "")`"))
        }
        for reason in RefusalReason.allCases {
            let report = EventReport(.refused(node, reason), nameOf: { _ in "Ada" })
            #expect(EventKind.refused.entry.meaning.contains("`\(report.details["reason"] ?? "")`"))
        }
    }

    @Test("a failure in the pairing window does not say that the code was wrong: the node may have broken off")
    func pairingFailures() {
        let texts = [2, 1, 0].map { EventReport(.pairing(.failed(by: node, left: $0)), nameOf: { _ in "Ada" }).text }
        #expect(texts.allSatisfy { $0.contains("did not complete the comparison of the pairing code") })
        #expect(zip(texts, ["2 tries left", "1 try left", "0 tries left"]).allSatisfy { $0.hasSuffix($1) })
    }

    @Test("a node is in once it is linked; before, it was given the secret")
    func paired() {
        let given = EventReport(.pairing(.closed(.admitted(node))), nameOf: { _ in "Ada" }).text
        #expect(given.contains("was given the secret") && !given.contains("come in"))
        #expect(EventReport.paired(node, named: SafeText("Ada")).text.contains("came in"))
    }

    @Test("a change that leaves the mesh without a code says that nobody can enter")
    func changesWithoutCode() {
        for hasCode in [true, false] {
            let event = MeshEvent.codeChanged(epoch: 2, by: node, through: nil, left: [node], hasCode: hasCode)
            let text = EventReport(event, nameOf: { _ in "Ada" }).text
            #expect(text.hasSuffix("nobody can enter until the code is changed again") == !hasCode)
        }
    }

    @Test("a change whose maker is not linked names the neighbour that has brought it")
    func changesThroughNeighbours() {
        let neighbour = NodeID(words: (2, 0, 0, 2))
        for through in [neighbour, nil] {
            let event = MeshEvent.codeChanged(epoch: 2, by: node, through: through, left: [], hasCode: true)
            let text = EventReport(event, nameOf: { $0 == neighbour ? "Bert" : "Ada" }).text
            #expect(text.contains("through Bert") == (through != nil) && text.contains("Ada changed"))
        }
    }

    @Test("an event about a peer has its id, and its name also in the sentence")
    func peers() {
        for report in reports where report.peer != nil {
            #expect(report.peer == node && report.name == "Ada" && report.text.contains("Ada"), "\(report.kind)")
        }
    }
}
