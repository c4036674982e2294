import AudioIO
import Channels
import Mesh
import Node
import Primitives
import SystemClock
import Voice

/// What a listener hears as a tone, if the listener wants it. Everything here runs on the node loop.
extension NodeLoop {
    func sound(_ tone: Tone) {
        if tones.contains(tone) { parts.audio.beep(tone.beep) }
    }

    /// Tells of peers that come to the channels of this node, and of those that go.
    func tellVisitors(_ event: MeshEvent, now: Instant) {
        for change in watch.visitors.take(event, listened: core.listening.list.listened) {
            let report = EventReport.visitor(change, nameOf: directory.name(of:), channelName: channelName(of:))
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
}
