package import AudioIO
import Handover
import Mesh
import Node
package import Primitives
import SystemClock
package import Voice
import Wire

/// What the node loop looks at twice a second to tell people of changes that no single event says.
struct NodeWatch {
    var found = FoundNodes()
    var lost = LostPeers()
    var devices = DeviceWatch()
    var otherMeshes = OtherMeshes()
    var lostSound = LostSound()
    var visitors = ChannelVisitors()
    var direct = DirectTalk()
    var callTone = CallTone()
    var paired = PairedNodes()
    var duplicates = DuplicateIdentities()
    /// The addresses of `--peer`.
    var given = GivenPeers()
    var refused = RefusedAddresses()
    var toldRefusals = ToldRefusals()
    /// Why this machine has no network for the node, in a sentence; nil if it has one.
    var networkLack: String?
    /// Whether a duplicate of this node was seen at the last look.
    var seesDuplicate = false
    /// The peers that talk, each with the names of the channels of which people were told last.
    var talkedOn: [NodeID: [String]] = [:]
    var heardKeys = HeardKeys()
    /// The number of howls that have been announced.
    var howlsReported: UInt64 = 0
    /// The disk of the state folder.
    var stateDisk = DiskWatch()
    /// The disk of the recording that runs.
    var recordingDisk = DiskWatch()
    /// Stands still when a recording has lost no more sound for a while.
    var recordingLoss = ThreadWatch(looksInVainMax: DiskWatch.looksWithoutLossMax)
    var diskTroubles = DiskTroubles()
}

extension NodeLoop {
    /// Tells people of changes since the last call. Called twice a second. A node that is leaving loses all its links,
    /// which is no news.
    func lookAround() {
        guard !isLeaving else { return }
        reportFound()
        reportSplit()
        reportDuplicate()
        warnOfGivenPeers()
        watchSound()
        reportTalk()
        reportUnheardKeys()
        findCaller()
        repeatCallTone()
        endDirectTalk(now: .monotonicNow())
        endLostSpurt()
        watchDisks()
    }

    /// Tells of nodes that were found, and of those that are no longer in the mesh.
    func reportFound() {
        var there: [NodeID: SafeText] = [:]
        core.mesh.visitNodesThere(now: .monotonicNow()) { there[$0] = $1 }
        for change in watch.found.update(there) { tell(.found(change)) }
    }

    private func reportSplit() {
        forgetUnexpected()
        guard let news = watch.lost.news(now: .monotonicNow()) else { return }
        switch news {
        case .split(let lost): tell(.meshSplit(lost: lost.map(peerDirectory.name(of:)), linked: openSlots.count))
        case .healed: tell(.meshHealed(linked: openSlots.count))
        }
    }

    /// The names of the channels in an event: those to which a peer listens, or on which it talks now. A channel whose
    /// name this node does not know is left out.
    func channelNames(in event: MeshEvent) -> [String] {
        switch event {
        case .peerChannels(_, _, let channels): channels.compactMap(knownName(of:))
        case .peerTalking(_, let node, true):
            core.mesh.peer(node)?.talksOn.compactMap(knownName(of:)) ?? []
        default: []
        }
    }

    /// Reports the peers that talk on other channels than the last report of them showed. The list of a peer's channels
    /// may come after its talk has begun: then this report is the first that shows them.
    private func reportTalk() {
        for (node, told) in watch.talkedOn.sorted(by: { $0.key < $1.key }) {
            guard let peer = core.mesh.peer(node), peer.isTalking, let slot = peer.slot else { continue }
            let names = peer.talksOn.compactMap(knownName(of:))
            guard names != told else { continue }
            watch.talkedOn[node] = names
            tell(EventReport(.peerTalking(slot, node, true), nameOf: peerDirectory.name(of:), channels: names))
        }
    }

    /// Reports another node with the identity of this one. Where the other nodes refuse this node because of it, an
    /// event has already reported that.
    private func reportDuplicate() {
        let now = Instant.monotonicNow()
        let (node, seen, wasSeen) = (core.mesh.node, core.mesh.duplicate(now: now), watch.seesDuplicate)
        watch.seesDuplicate = seen != nil
        guard let seen, !wasSeen, !watch.duplicates.contains(node, now: now) else { return }
        tell(.duplicate(of: node, named: peerDirectory.name(of: node), at: seen.address))
    }

    /// Ends the note that others refuse this node because of its identity. Called when a link has come up: the other
    /// node with that identity has ended if all that refused this one are linked with it.
    func endRefusalAsDuplicate(now: Instant) {
        let node = core.mesh.node
        guard watch.duplicates.contains(node, now: now) else { return }
        let isRefused = core.mesh.peers.contains { !$0.isHere && $0.failure == .refused(.duplicateIdentity) }
        if !isRefused { watch.duplicates.end(node) }
    }

    /// Warns once of each address of `--peer` at which no node has answered in time, and of each whose node refuses
    /// this one. The node that feeds programme has the addresses of the node of the person, which warns of them.
    private func warnOfGivenPeers() {
        let now = Instant.monotonicNow()
        let silent = watch.given.takeUntold(among: core.mesh.peers, now: now)
        let refused = watch.given.takeUntoldRefusals(now: now) { answerer in
            core.mesh.peer(answerer).map { told($0, there: [answerer]) }
        }
        guard !options.feedsProgramme else { return }
        for peer in silent { parts.announcer.warn(DiscoverDocument.SilentPeer(peer).sentence) }
        for peer in refused { parts.announcer.warn(peer.sentence) }
    }

    /// Checks that the audio threads still run. Tells of devices that are lost or back, of files that were kept aside
    /// for a recording, and of the howls that the capture thread has found.
    private func watchSound() {
        parts.audio.watchThreads()
        let status = parts.audio.status
        for change in watch.devices.changes(status) { tell(.device(change)) }
        for sentence in watch.devices.formerFiles(status) { parts.announcer.note(sentence) }
        for slot in openSlots { watch.lostSound.take(status.statistics(of: slot), of: slot) }
        guard watch.howlsReported < status.capture.howls else { return }
        watch.howlsReported = status.capture.howls
        tell(.howl(count: status.capture.howls))
    }
}

/// The nodes that are there as far as this node knows, with or without a link. It tells what has changed since the last
/// look.
package struct FoundNodes {
    /// A node that was found, or is no longer.
    package struct Change: Hashable, Sendable {
        package var node: NodeID
        /// The name in its record.
        package var name: SafeText
        package var isFound: Bool

        package init(node: NodeID, name: SafeText, isFound: Bool) {
            (self.node, self.name, self.isFound) = (node, name, isFound)
        }
    }

    private var names: [NodeID: SafeText] = [:]

    package init() {}

    /// Takes all nodes that are there now, and returns the changes, sorted by NodeID.
    package mutating func update(_ there: [NodeID: SafeText]) -> [Change] {
        let found = there.filter { names[$0.key] == nil }
        let lost = names.filter { there[$0.key] == nil }
        names = there
        let changes =
            found.map { Change(node: $0.key, name: $0.value, isFound: true) }
            + lost.map { Change(node: $0.key, name: $0.value, isFound: false) }
        return changes.sorted { $0.node < $1.node }
    }
}

/// The nodes that were given the secret by pairing codes and were not linked since: people are told of their first
/// link.
package struct PairedNodes {
    /// One more takes the place of the oldest.
    package static let countMax = 8

    private var nodes: [NodeID] = []

    package init() {}

    package mutating func add(_ node: NodeID) {
        nodes.removeAll { $0 == node }
        if nodes.count == PairedNodes.countMax { nodes.removeFirst() }
        nodes.append(node)
    }

    /// Removes a node that is linked now. Returns whether it was there.
    package mutating func remove(_ node: NodeID) -> Bool {
        guard let index = nodes.firstIndex(of: node) else { return false }
        nodes.remove(at: index)
        return true
    }
}

extension DeviceStatus {
    /// Why a file that runs loses sound; nil if it does not.
    ///
    /// - Parameter side: `input`, `output` or `output2`.
    func lossOfSound(as side: String) -> String? {
        guard losesSound else { return nil }
        return side == "input"
            ? "a part of the file cannot be read and is silent; the file may have become shorter"
            : "the disk or the WAV file takes no more sound"
    }
}

/// Notices that a sound device is lost or loses sound, and that it is back. A device that cannot be opened at the
/// start, or does not answer then, counts as lost.
package struct DeviceWatch {
    /// A change of one device.
    package struct Change: Hashable, Sendable {
        /// `input`, `output` or `output2`.
        package var side: String
        /// The name in the configuration.
        package var device: String
        /// Why it is lost or loses sound, for people; nil if it is back.
        package var reason: String?
        /// Whether it runs and only loses sound.
        package var isOpen: Bool
        /// The samples that a file as output has lost, once it is back.
        package var lostSamples: UInt64

        package init(
            side: String, device: String, reason: String?, isOpen: Bool = false, lostSamples: UInt64 = 0
        ) {
            (self.side, self.device, self.reason) = (side, device, reason)
            (self.isOpen, self.lostSamples) = (isOpen, lostSamples)
        }
    }

    /// What was last told of one side.
    private struct Told {
        var isLost = false
        /// The samples that it had lost at the last look before the present loss.
        var lostSamples: UInt64 = 0
    }

    private var input = Told()
    private var output = Told()
    private var second = Told()
    /// By side, the former file of which people were told last.
    private var formerFilesTold: [String: String] = [:]

    package init() {}

    /// Returns a sentence for each file that has got another name since the last call because an output records.
    package mutating func formerFiles(_ audio: AudioStatus) -> [String] {
        var sentences: [String] = []
        let second = audio.second.map { [("output2", $0.device)] } ?? []
        for (side, device) in [("output", audio.output)] + second where device.formerFile != formerFilesTold[side] {
            formerFilesTold[side] = device.formerFile
            guard let former = device.formerFile else { continue }
            sentences.append("\(side) \(device.device): the file that was there is kept as \(former)")
        }
        return sentences
    }

    /// Returns the changes since the last call.
    package mutating func changes(_ audio: AudioStatus) -> [Change] {
        [
            DeviceWatch.change("input", audio.input, isStuck: audio.isInputStuck, &input),
            DeviceWatch.change("output", audio.output, isStuck: audio.isOutputStuck, &output),
            audio.second.flatMap { DeviceWatch.change("output2", $0.device, isStuck: $0.isStuck, &second) },
        ].compactMap { $0 }
    }

    private static func change(
        _ side: String, _ device: DeviceStatus, isStuck: Bool, _ told: inout Told
    ) -> Change? {
        let reason: String?
        var isOpen = false
        switch device.state {
        case .reopening(let why): reason = why
        case .opening where isStuck, .running where isStuck: reason = "it does not answer"
        case .running:
            reason = device.lossOfSound(as: side)
            isOpen = reason != nil
        case .opening, .stopped: return nil
        }
        let lost = device.lostSamples - told.lostSamples
        if reason == nil { told.lostSamples = device.lostSamples }
        guard told.isLost != (reason != nil) else { return nil }
        told.isLost = reason != nil
        return Change(
            side: side, device: device.device, reason: reason, isOpen: isOpen, lostSamples: reason == nil ? lost : 0)
    }
}

/// The share of each peer's sound that was lost and that no copy replaced, over about the last five seconds of its
/// talk.
package struct LostSound {
    private struct Talker {
        var playedSamples: UInt64 = 0
        var lostSamples: UInt64 = 0
        var share = 0.0
    }

    /// The sound after which the old share has lost its weight.
    private static let windowSamples = 240_000.0

    private var talkers = [Talker](repeating: Talker(), count: MeshScale.peersMax)

    package init() {}

    /// Takes the counts of a slot. Call it about twice a second.
    package mutating func take(_ statistics: VoiceStatistics, of slot: PeerSlot) {
        var talker = talkers[slot.index]
        // The counts begin again when another peer has got the slot.
        if statistics.playedSamples < talker.playedSamples || statistics.lostSamples < talker.lostSamples {
            talker = Talker()
        }
        let lost = Double(statistics.lostSamples - talker.lostSamples)
        let sound = Double(statistics.playedSamples - talker.playedSamples) + lost
        if 0 < sound {
            talker.share += min(1, sound / LostSound.windowSamples) * (lost / sound - talker.share)
        }
        (talker.playedSamples, talker.lostSamples) = (statistics.playedSamples, statistics.lostSamples)
        talkers[slot.index] = talker
    }

    /// From 0 to 1.
    package func share(of slot: PeerSlot) -> Double { talkers[slot.index].share }
}
