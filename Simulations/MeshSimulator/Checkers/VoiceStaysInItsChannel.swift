package import Primitives

/// A node hears a frame only if the talker's keys speak to it: on a channel to which it listens, privately, or to all.
/// On a channel with a code both nodes have the same code; voice that arrived before the listener took another code may
/// still sound. The node hears nothing that was said before it joined the channel, with three exceptions. A talker that
/// is held back may learn of a new listener before it sends the frames that it captured meanwhile, and sends them to
/// that listener too. A talker may not know yet that a node which joins again had parted the channel. And the node may
/// have been on another channel on which the same frame was said, as far as the talker knew.
package struct VoiceStaysInItsChannel: SafetyChecker {
    /// A channel that the present life of a node has joined.
    private struct Joined {
        var since: Instant
        /// When the node parted it; nil while it listens.
        var partedAt: Instant?
        /// When the node parted the channel before it joined again; nil if it had not joined it before. Frames that are
        /// labelled by the earlier list may come until the talkers know that the node parted the channel.
        var formerPart: Instant?
    }

    /// A frame of a talker, and to whom it was said.
    private struct Said {
        var life: UInt32
        var sequence: UInt32
        var to: SpokenTo
        /// The talker's codes of channels.
        var codes: [ChannelID: UInt8]
    }

    /// The code of a channel at a node; nil for none.
    private struct Held {
        var code: UInt8?
        var former: UInt8?
        var since: Instant

        /// Whether voice that was sent under a code may sound at this node.
        func admits(_ said: UInt8?, now: Instant) -> Bool {
            guard let said else { return false }
            return said == code || said == former && now <= since + SpeechWatch.delayMax
        }
    }

    /// A frame that sounded at a node that must not hear it. A block counts as heard where its last frame sounds. So if
    /// the next observation is another frame of that talker at that instant, only that frame is judged.
    private struct Suspect {
        var observer: Int
        var stamp: VoiceStamp
        var at: Instant
        var trouble: String
    }

    /// A time in which the process of a talker reads nothing, so that its captured frames wait: from `from` until
    /// `until`; `until` is nil while this lasts.
    private struct HeldBack {
        var from: Instant
        var until: Instant?
    }

    private var suspect: Suspect?
    /// By node: the last two times that it was held back, the earlier one first. Frames that it sent between them may
    /// be on their way when it is held back again.
    private var heldBack: [[HeldBack]]
    /// By node.
    private var joined: [[ChannelID: Joined]]
    /// By talker: the latest frames, at the place of their sequence.
    private var said: [[Said?]]
    /// By node: the codes that it has.
    private var codes: [[ChannelID: Held]]
    /// Time for which a block that was rendered before may still sound after the node has parted the channel.
    private static let allowed = Interval.milliseconds(10)
    /// Time within which a talker learns that a listener has parted a channel, while nothing delays that news.
    static let newsMax = Interval.seconds(2)
    /// Frames of a talker that are remembered: those of 10 s at least.
    private static let saidMax = 4_096

    package init(nodeCount: Int) {
        joined = Array(repeating: [:], count: nodeCount)
        codes = Array(repeating: [:], count: nodeCount)
        said = Array(repeating: Array(repeating: nil, count: Self.saidMax), count: nodeCount)
        heldBack = Array(repeating: [], count: nodeCount)
    }

    package var kinds: ObservationKinds { [.voice, .said, .sounded, .others] }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        let earlier = suspect
        suspect = nil
        let trouble = trouble(by: observation, at: instant)
        if case .sounded(let observer, _, let stamp?, _) = observation {
            if let trouble { suspect = Suspect(observer: observer, stamp: stamp, at: instant, trouble: trouble) }
            if let earlier, earlier.observer == observer, earlier.at == instant, earlier.stamp.talker == stamp.talker {
                return nil
            }
        }
        return earlier?.trouble
    }

    private mutating func trouble(by observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .tuned(let node, _, let channel):
            joined[node] = [channel: Joined(since: .zero)]
            heldBack[node] = []
            return nil
        case .listens(let node, let channel, let isOn):
            let former = joined[node][channel]
            if !isOn {
                joined[node][channel]?.partedAt = instant
            } else if former == nil || former?.partedAt != nil {
                joined[node][channel] = Joined(since: instant, formerPart: former?.partedAt)
            }
            return nil
        case .said(let stamp, let to):
            said[stamp.talker][Int(stamp.sequence) % Self.saidMax] = Said(
                life: stamp.life, sequence: stamp.sequence, to: to,
                codes: codes[stamp.talker].compactMapValues(\.code))
            return nil
        case .holdsCode(let node, let channel, let code):
            codes[node][channel] = Held(code: code, former: codes[node][channel]?.code, since: instant)
            return nil
        case .heldBack(let node, isOn: true):
            if heldBack[node].last.map({ $0.until != nil }) ?? true {
                heldBack[node] = heldBack[node].suffix(1) + [HeldBack(from: instant)]
            }
            return nil
        case .heldBack(let node, isOn: false):
            // A process that was paused goes on, too.
            guard let last = heldBack[node].indices.last, heldBack[node][last].until == nil else { return nil }
            heldBack[node][last].until = instant
            return nil
        case .sounded(let observer, _, let stamp?, let toldSince):
            return trouble(with: stamp, at: observer, toldSince: toldSince, now: instant)
        default:
            return nil
        }
    }

    /// Returns what was said by this frame; nil if it is forgotten.
    private func said(_ life: UInt32, _ sequence: UInt32, by talker: Int) -> Said? {
        guard let frame = said[talker][Int(sequence) % Self.saidMax] else { return nil }
        return (frame.life, frame.sequence) == (life, sequence) ? frame : nil
    }

    private func trouble(with stamp: VoiceStamp, at observer: Int, toldSince: Instant?, now: Instant) -> String? {
        guard let frame = said(stamp.life, stamp.sequence, by: stamp.talker) else { return nil }
        if frame.to.isToAll || frame.to.listeners.contains(observer) { return nil }
        var trouble: String? = "hears what \(stamp.talker) says to others"
        for channel in frame.to.channels where trouble != nil {
            guard let listening = joined[observer][channel] else { continue }
            if channel.hasCode, listening.partedAt == nil,
                codes[observer][channel]?.admits(frame.codes[channel], now: now) != true
            {
                trouble = "hears \(stamp.talker) on a channel whose code it does not have"
            } else if let partedAt = listening.partedAt, partedAt + Self.allowed < now {
                trouble = "hears \(stamp.talker) on a channel that it has parted"
            } else if stamp.spokenAt < listening.since, !wasHeldBack(stamp, since: listening.since),
                !mayNotKnow(of: listening.formerPart, toldSince: toldSince, now: now),
                !wasAddressed(frame, at: stamp.spokenAt, observer, toldSince: toldSince, now: now)
            {
                trouble = "hears what \(stamp.talker) said at \(stamp.spokenAt), before it joined at \(listening.since)"
            } else {
                trouble = nil
            }
        }
        return trouble.map { "node \(observer) " + $0 }
    }

    /// Whether a node was on a channel of a frame when the frame was said, as far as the talker may have known.
    private func wasAddressed(
        _ frame: Said, at spokenAt: Instant, _ node: Int, toldSince: Instant?, now: Instant
    ) -> Bool {
        frame.to.channels.contains { channel in
            guard let listening = joined[node][channel], listening.since <= spokenAt else { return false }
            guard let partedAt = listening.partedAt, partedAt <= spokenAt else { return true }
            return mayNotKnow(of: partedAt, toldSince: toldSince, now: now)
        }
    }

    /// Whether a frame that sounds now may have been sent by a talker that did not know yet that the listener had
    /// parted the channel. Such a talker still counts the listener among those on the channel.
    private func mayNotKnow(of part: Instant?, toldSince: Instant?, now: Instant) -> Bool {
        guard let part else { return false }
        guard let toldSince else { return true }
        return now <= max(part, toldSince) + Self.newsMax + SpeechWatch.delayMax
    }

    /// Whether the talker spoke the frame while its process read nothing (`HeldBack`), and this ended only after a
    /// listener had joined the channel, at `since`. When the process reads again, it may learn of the listener before
    /// it sends the frame.
    private func wasHeldBack(_ stamp: VoiceStamp, since: Instant) -> Bool {
        heldBack[stamp.talker].contains { held in
            guard let until = held.until else { return false }
            return held.from <= stamp.spokenAt && since <= until
        }
    }
}
