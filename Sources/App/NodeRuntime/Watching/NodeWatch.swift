import AudioIO
import Mesh
import Node
import Primitives
import SystemClock

/// What the node loop looks at twice a second to tell people of changes that no single event says.
struct NodeWatch {
    var found = FoundNodes()
    var lost = LostPeers()
    var devices = DeviceWatch()
    var otherMeshes = OtherMeshes()
    var lostSound = LostSound()
    var visitors = ChannelVisitors()
    var direct = DirectTalk()
    var paired = PairedNodes()
    var duplicates = DuplicateIdentities()
    /// Whether a duplicate of this node was seen at the last look.
    var seesDuplicate = false
    /// The number of howls that have been announced.
    var howlsReported: UInt64 = 0
}

extension NodeLoop {
    /// Tells people of changes since the last call. Called twice a second.
    func lookAround() {
        reportFound()
        reportSplit()
        reportDuplicate()
        watchSound()
        findCaller()
        endDirectTalk(now: .monotonicNow())
        endLostSpurt()
    }

    /// Tells of nodes that were found, and of those that are no longer there.
    func reportFound() {
        var there: [NodeID: SafeText] = [:]
        core.mesh.visitNodesThere(now: .monotonicNow()) { there[$0] = $1 }
        for change in watch.found.update(there) { tell(.found(change)) }
    }

    private func reportSplit() {
        guard let news = watch.lost.news(now: .monotonicNow()) else { return }
        switch news {
        case .split(let lost): tell(.meshSplit(lost: lost.map(directory.name(of:)), linked: openSlots.count))
        case .healed: tell(.meshHealed(linked: openSlots.count))
        }
    }

    /// Tells of another node with the identity of this one. Where the others refuse this node because of it, that was
    /// told.
    private func reportDuplicate() {
        let now = Instant.monotonicNow()
        let (node, seen, wasSeen) = (core.mesh.node, core.mesh.duplicate(now: now), watch.seesDuplicate)
        watch.seesDuplicate = seen != nil
        guard let seen, !wasSeen, !watch.duplicates.contains(node, now: now) else { return }
        tell(.duplicate(of: node, named: directory.name(of: node), at: seen.address))
    }

    /// Checks that the audio threads still run. Tells of devices that are lost or back, and of the howls that the
    /// capture thread has found.
    private func watchSound() {
        parts.audio.watchThreads()
        let status = parts.audio.status
        for change in watch.devices.changes(status) { tell(.device(change)) }
        for slot in openSlots { watch.lostSound.take(status.statistics(of: slot), of: slot) }
        guard watch.howlsReported < status.capture.howls else { return }
        watch.howlsReported = status.capture.howls
        tell(.howl(count: status.capture.howls))
    }
}
