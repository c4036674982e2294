import Primitives
import Wire

/// What the control blocks of a peer have said since its link came up.
struct PeerFacts {
    private(set) var isTalking = false
    private(set) var takesPlain = false
    private(set) var isRecording = false
    /// The talk of this node that the peer does not play.
    private(set) var refusedTalk: RefusedTalk = []
    /// The channels on which the peer talks; nil for none.
    private(set) var tally: Tally?
    /// How the peer receives this node.
    private(set) var report: ReceptionReport?
    /// The allowance for changes of flags that are reported at once.
    private var flagChanges = TokenBucket(
        burst: MeshLimits.flagChangesBurst, interval: MeshLimits.flagChangeInterval, now: .zero)

    /// Reads a control block that is newer than all before, and tells the shell what is new in it.
    mutating func read(
        _ control: ControlBlock, _ tally: Tally?, of slot: PeerSlot, _ node: NodeID, _ effects: inout Effects,
        now: Instant
    ) {
        self.tally = tally
        refusedTalk = control.flags.refusedTalk
        effects.output(.peerMediaClock(control.sampleTime, of: slot))
        if let report = control.report {
            self.report = report
            effects.output(.peerReport(report, from: slot))
        }
        readFlags(control.flags, of: slot, node, &effects, now: now)
    }

    /// Tells the shell each flag that has changed. Changes beyond `flagChangesBurst` are only delayed: the next control
    /// block has the flag again, unless it has changed back.
    private mutating func readFlags(
        _ flags: ControlFlags, of slot: PeerSlot, _ node: NodeID, _ effects: inout Effects, now: Instant
    ) {
        let (takesPlain, isTalking) = (flags.contains(.takesPlain), flags.contains(.talking))
        let isRecording = flags.contains(.recording)
        let isNews =
            takesPlain != self.takesPlain || isTalking != self.isTalking || isRecording != self.isRecording
        guard isNews else { return }
        guard flagChanges.take(now: now) else {
            effects.count(.flagChangesOverRate)
            return
        }
        if takesPlain != self.takesPlain {
            self.takesPlain = takesPlain
            effects.output(.peerTakesPlain(takesPlain, of: slot))
        }
        if isTalking != self.isTalking {
            self.isTalking = isTalking
            effects.report(.peerTalking(slot, node, isTalking))
        }
        if isRecording != self.isRecording {
            self.isRecording = isRecording
            effects.report(.peerRecording(slot, node, isRecording))
        }
    }

    /// Forgets the flags of the peer, the channels on which it talks (`tally`) and its reception report, because its
    /// link is down. The allowance `flagChanges` stays as it is.
    mutating func forget(of slot: PeerSlot, _ node: NodeID, _ effects: inout Effects) {
        if isTalking { effects.report(.peerTalking(slot, node, false)) }
        if isRecording { effects.report(.peerRecording(slot, node, false)) }
        (isTalking, takesPlain, isRecording, tally, report) = (false, false, false, nil, nil)
        refusedTalk = []
    }
}
