import Primitives

/// To whom the frames of this node go, by the keys that were pressed when each began.
struct SpokenKeys: Sendable {
    /// By key.
    private var targets: [KeyTargets]
    /// The keys of the latest frame; before any frame, the first key.
    private var pressed = KeySet.first
    /// Whether the latest frame was the last one of a talk spurt.
    private var hasEnded = true
    /// The spurt of the latest frame, and the sample time just after that frame.
    private var latest = (spurt: UInt8(0), end: SampleTime(samples: 0))
    /// The peer that last called this node, or whose private talk began to sound last.
    var caller: NodeID?
    /// The keys that are down now. The frames of a key may begin later than its press: no frame is sent while the cough
    /// switch is held, or while others have the floor.
    private var down: KeySet = []
    /// The caller at the moment at which the first key of a reply went down. The value stays while a key of a reply is
    /// down, so that no word of a reply goes to somebody else who calls meanwhile.
    private var answered: NodeID?
    /// The peer to which the frames of a reply go. It changes only between two replies, or when a key becomes one of a
    /// reply: frames of the earlier reply may still come when the key is pressed again.
    private var repliesTo: NodeID?
    /// The targets of the latest frame's keys together; the peer to which a reply goes is among its `peers`.
    private(set) var spoken = KeyTargets()

    init(_ targets: [KeyTargets]) {
        self.targets = []
        _ = setTargets(targets)
    }

    /// Returns whether anything changed.
    mutating func setTargets(_ new: [KeyTargets]) -> Bool {
        precondition(new.count <= TalkLimits.keysMax, "\(new.count) keys")
        guard new != targets else { return false }
        let wasReply = isReply(pressed)
        changeReplies { $0.targets = new }
        // The pressed keys have become those of a reply. Their frames may go on without an end of a spurt before them,
        // so `take` would begin no reply with them.
        if isReply(pressed), !wasReply { repliesTo = replyPeer }
        spoken = union(of: pressed, replyTo: repliesTo)
        return true
    }

    /// Notes the keys that are down from now on.
    mutating func setDown(_ keys: KeySet) { changeReplies { $0.down = keys } }

    private mutating func changeReplies(_ change: (inout SpokenKeys) -> Void) {
        let wasReplying = isReply(down)
        change(&self)
        if isReply(down), !wasReplying { answered = caller }
    }

    /// Takes the newest frame. Returns whether its targets differ from those of the frame before.
    mutating func take(_ frame: VoiceFrame) -> Bool {
        guard !frame.flags.contains(.again) else { return false }
        endUnfinishedSpurt(before: frame)
        guard hasEnded || frame.keys != pressed else {
            hasEnded = frame.flags.contains(.spurtEnd)
            return false
        }
        let isBegun = hasEnded || !isReply(pressed)
        if isReply(frame.keys), isBegun { repliesTo = answered }
        (pressed, hasEnded) = (frame.keys, frame.flags.contains(.spurtEnd))
        let now = union(of: pressed, replyTo: repliesTo)
        defer { spoken = now }
        return now != spoken
    }

    /// Ends the spurt before a frame that belongs to another spurt and does not follow directly. The frame with the end
    /// may be lost in a full ring, or was not coded; a reply would then go to the peer of the reply before it. A change
    /// between plain and coded sound begins another spurt too, but without a pause, and ends no reply.
    private mutating func endUnfinishedSpurt(before frame: VoiceFrame) {
        if frame.spurt != latest.spurt, frame.sampleTime != latest.end { hasEnded = true }
        latest = (frame.spurt, frame.sampleTime.advanced(by: Int32(frame.duration.samples)))
    }

    /// The targets of these keys together: of those that are down, and of others as if they were pressed now.
    func targets(of keys: KeySet) -> KeyTargets {
        union(of: keys, replyTo: replyPeer)
    }

    /// The peer to which a reply goes whose key is down now, or is pressed next.
    var replyPeer: NodeID? { isReply(down) ? answered : caller }

    private func isReply(_ keys: KeySet) -> Bool {
        targets.indices.contains { keys.contains(.key($0)) && targets[$0].isReply }
    }

    private func union(of keys: KeySet, replyTo: NodeID?) -> KeyTargets {
        var union = KeyTargets()
        for index in targets.indices where keys.contains(.key(index)) { union.formUnion(targets[index]) }
        if union.isReply, let replyTo { union.formUnion(KeyTargets(peers: [replyTo])) }
        union.isReply = false
        return union
    }
}
