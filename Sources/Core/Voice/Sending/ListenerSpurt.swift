import Wire

/// The talk spurts of one listener: a listener comes or goes while its talker talks, so its spurts are its own.
///
/// ```
///            addressed, and a frame with which a decoder can begin      no more addressed
///  silent ────────────────────────────────────────────────────▶ talking ───────────────────▶ ending
///    ▲                                                             │ the talker begins           │ the last frame,
///    └─────────────────────────────────────────────────────────────┴─ another spurt ─────────────┘ three times
/// ```
/// While the talker pauses, the phase stays `.talking`: there are no frames, so nothing is sent.
///
/// If `VoiceLimits.startWaitFramesMax` frames have come, but none with which a decoder can begin, the spurt begins with
/// any frame. The next spurt of the talker may begin before the end of this one was sent three times. A listener that
/// the next spurt does not address then gets the repeats of the end that are left.
///
/// Frames are numbered through all spurts. No block before `from` goes to the listener: it could hold words that were
/// said to others.
struct ListenerSpurt: Sendable {
    private enum Phase: Sendable {
        /// `waited`: the number of frames that could not begin the spurt.
        case silent(waited: Int)
        case talking
        /// `left`: the number of times that the end is still to be sent. `last`: the last frame of the spurt.
        case ending(left: Int, last: Int)
    }

    /// A packet that is due.
    struct Packet: Sendable {
        /// The frame of age 0.
        var newest: Int
        var isStart: Bool
        var isEnd: Bool
    }

    /// Counts the listener's spurts, wrapping.
    private(set) var number: UInt8 = 0
    /// First frame of the spurt.
    private(set) var from = 0
    /// To whom the frames from `addressedFrom` on are said. The address stays when the listener is no longer addressed,
    /// for the packets that end its spurt.
    private(set) var address = VoiceAddress.nobody
    private(set) var addressedFrom = 0
    /// The first frame that is said to the talker's present targets; not before `addressedFrom`. Frames between the two
    /// were said to earlier targets, which had the same label in the listener's list. By its next list the two may have
    /// different labels.
    private var targetedFrom = 0
    /// The label of the frames just before `addressedFrom`, and the number of the first frame with that label; nil if
    /// no frame before `addressedFrom` may go to the listener.
    private var former: (label: VoiceLabel, from: Int)?
    private var isAddressed = false
    /// The frame after the last one that was sent as new.
    private var sentUpTo = 0
    /// The newest frame of the first packet; nil before that packet.
    private var firstSent: Int?
    /// The number of times that the end of the talker's spurt was sent.
    private var endsSent = 0
    private var phase = Phase.silent(waited: 0)

    /// Whether a spurt runs, or its end is still to be sent.
    var isRunning: Bool {
        if case .silent = phase { false } else { true }
    }

    /// Returns the label of a frame; nil if the frame must not go to the listener.
    func label(of frame: Int) -> VoiceLabel? {
        guard from <= frame else { return nil }
        if addressedFrom <= frame { return address.label }
        return former.flatMap { $0.from <= frame ? $0.label : nil }
    }

    /// Gives the frames from `next` on another address. `isRetargeted`: the talker's targets have changed, so earlier
    /// frames keep their label. If it is false, the listener's list of channels has changed, and all frames that are
    /// said to the present targets (those from `targetedFrom` on) get the new label.
    mutating func setAddress(_ new: VoiceAddress, isRetargeted: Bool, next: Int) {
        guard !new.label.isEmpty else {
            isAddressed = false
            return
        }
        if !isAddressed || isRetargeted { targetedFrom = next }
        if !isAddressed {
            if case .ending = phase { phase = .silent(waited: 0) }
            (address, addressedFrom, former) = (new, next, nil)
        } else if !isRetargeted {
            // A label names channels by the listener's list. For the frames before `targetedFrom`, said to earlier
            // targets, the label in the listener's new list is not known, so these frames are left out.
            from = max(from, targetedFrom)
            (address, former) = (new, nil)
        } else if new.label != address.label {
            former = addressedFrom < next ? (address.label, max(addressedFrom, from)) : former
            (address, addressedFrom) = (new, next)
        }
        isAddressed = true
    }

    /// Ends the talker's spurt, because the talker begins another one. `last` is its last frame.
    mutating func endTalkerSpurt(last: Int) {
        let owed = VoiceLimits.spurtEndRepeats - endsSent
        switch phase {
        case .talking where !isAddressed && firstSent != nil && 0 < owed: phase = .ending(left: owed, last: last)
        case .ending where !isAddressed: break
        case .silent, .talking, .ending: phase = .silent(waited: 0)
        }
    }

    /// Forgets the listener, because its link is down. The numbers of spurts go on.
    mutating func forget() {
        phase = .silent(waited: 0)
        isAddressed = false
    }

    /// Takes the newest frame, and returns the packet that is due.
    /// - Parameters:
    ///   - newest: the number of the frame.
    ///   - first: the number of the first frame of the talker's spurt.
    ///   - group: the number of new frames that share a packet.
    mutating func advance(_ flags: VoiceFrameFlags, newest: Int, first: Int, group: Int) -> Packet? {
        if case .silent(let waited) = phase {
            guard isAddressed, !flags.contains(.again) else { return nil }
            if addressedFrom <= first {
                begin(at: first)
            } else if !flags.isDisjoint(with: [.independent, .plain]) || VoiceLimits.startWaitFramesMax <= waited {
                begin(at: newest)
            } else {
                phase = .silent(waited: waited + 1)
                return nil
            }
        }
        if case .talking = phase {
            guard !isAddressed else { return packet(flags, newest: newest, group: group) }
            phase = firstSent != nil ? .ending(left: VoiceLimits.spurtEndRepeats, last: newest - 1) : .silent(waited: 0)
        }
        guard case .ending(let left, let last) = phase else { return nil }
        phase = 1 < left ? .ending(left: left - 1, last: last) : .silent(waited: 0)
        return Packet(newest: last, isStart: false, isEnd: true)
    }

    private mutating func begin(at frame: Int) {
        number &+= 1
        (from, sentUpTo, firstSent, endsSent) = (frame, frame, nil, 0)
        phase = .talking
    }

    private mutating func packet(_ flags: VoiceFrameFlags, newest: Int, group: Int) -> Packet? {
        let isEnd = flags.contains(.spurtEnd)
        guard isEnd || group <= newest + 1 - sentUpTo else { return nil }
        sentUpTo = newest + 1
        if isEnd { endsSent += 1 }
        // The end of a spurt of one packet is sent again with the same flags.
        let first = firstSent ?? newest
        firstSent = first
        return Packet(newest: newest, isStart: first == newest, isEnd: isEnd)
    }
}
