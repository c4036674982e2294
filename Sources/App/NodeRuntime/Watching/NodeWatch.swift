import AudioIO
import Handover
import Mesh
import Node
import Primitives
import SystemClock
import Voice
import Wire

/// The memory of the node loop for telling people of changes: its last look, and what people were told.
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
