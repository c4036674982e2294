import AudioIO
import Channels
import Mesh
import NIOCore
import Node
import Primitives
import SystemClock
import Voice

/// What a listener hears as a tone, if the listener wants it. Everything here runs on the node loop.
extension NodeLoop {
    func sound(_ tone: Tone) {
        if tones.contains(tone), let beep = tone.beep { parts.audio.beep(beep) }
    }

    /// Sounds the tone of a call that has come.
    func soundCall(_ call: IncomingCall) {
        guard tones.contains(call.tone) else { return }
        sound(call.tone)
        watch.callTone.recordSounded(now: .monotonicNow())
    }

    /// Sounds the tone of calls anew while they wait. Called twice a second.
    func repeatCallTone() {
        let tone = watch.callTone.due(
            of: core.calls.incoming, isQuiet: core.calls.isQuiet, wanted: tones, now: .monotonicNow())
        if let tone { sound(tone) }
    }

    /// Tells of peers that come to the channels of this node, and of those that go. A peer that may follow a renaming
    /// is told of when this node has had time to follow too: it has not gone then, and is on the renamed channel.
    func tellVisitors(_ event: MeshEvent) {
        guard case .peerChannels(let slot, let node, _) = event,
            watch.visitors.mayFollow(event, listened: core.listening.list.listened)
        else { return tellChanges(of: event) }
        loop.scheduleTask(in: NodeLoop.renamingWithin) {
            guard !self.isLeaving, let peer = self.core.mesh.peer(node), peer.slot == slot, peer.state.isLinked
            else { return }
            self.tellChanges(of: .peerChannels(slot, node, peer.channels))
        }
    }

    private func tellChanges(of event: MeshEvent) {
        for change in watch.visitors.take(event, listened: core.listening.list.listened) {
            let report = EventReport.visitor(change, nameOf: peerDirectory.name(of:), channelName: channelName(of:))
            if tell(report) { sound(change.hasJoined ? .join : .leave) }
        }
    }

    /// The busy tone is advice: the key talks all the same. Call it when a key that speaks on these
    /// channels has gone down.
    func soundIfBusy(on talked: [ChannelID]) {
        guard tones.contains(.busy) else { return }
        let status = parts.audio.status
        let isBusy = openSlots.contains { slot in
            let voice = status.statistics(of: slot)
            guard voice.isTalking else { return false }
            return core.listening.channels(ofLines: voice.lines.rawValue).contains { talked.contains($0) }
        }
        if isBusy { sound(.busy) }
    }

    /// Tells the person that the own talk has begun or ended. Call it when the voice path has the keys: nothing waits
    /// for a tone.
    func soundTalk(before wasTalking: Bool) {
        let isTalking = talk.isTalkingByPress
        if tones.contains(.talk), isTalking != wasTalking { parts.audio.beep(isTalking ? .talkBegun : .talkEnded) }
    }
}
