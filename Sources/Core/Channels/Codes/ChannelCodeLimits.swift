package import Primitives
import Wire

/// Bounds of the proofs of channel codes (docs/WIRE.md, "Channels with a code").
package enum ChannelCodeLimits {
    /// Channels with a code that a node holds: as many as it may join.
    package static let heldMax = WireLimits.channelsListenedMax + WireLimits.channelsTalkedMax
    /// A session may begin at the peer some moments later than here. So the node with the greater NodeID begins its
    /// runs after `beginDelay`. The other node begins a run after `secondBeginDelay` if the code is not proved by then.
    package static let beginDelay = Interval.milliseconds(300)
    package static let secondBeginDelay = Interval.milliseconds(1_500)
    /// The time that the next step of a run has to come. It cannot come later, because its carrier is lost by then: TCP
    /// gives up after 5 s.
    package static let stepWait = Interval.seconds(6)
    /// A node begins again after a step was lost: at once, then after this time, which doubles
    /// `lostRunDoublingsMax` times.
    package static let lostRunWait = Interval.seconds(6)
    package static let lostRunDoublingsMax = 3
    /// A node begins another run this long after a run of either side in which the peer did not show the code. It is
    /// the time in which the peer gets a new guess.
    package static let failedWait = guessInterval
    /// How long the proof of an earlier session still counts, if no run of the present session has succeeded or failed
    /// by then.
    package static let formerProofWait = Interval.seconds(15)
    /// Tags of earlier proofs that two nodes still understand beside the newest tag: those of the two proofs before it.
    /// Step 3 of the later of these two may have been lost with its session.
    package static let olderTagsMax = 2
    /// Guesses of one peer at the code of one channel, one in each run of either side: this number at once, until a run
    /// succeeds, and then one in each `guessInterval`.
    package static let guessesBurst = 3
    package static let guessInterval = Interval.seconds(30)
    /// Pairs of peer and channel whose guesses are counted: twice as many as can be linked, so that a peer does not get
    /// new guesses by giving its slot away.
    package static let guessersMax = 2 * MeshScale.peersMax * heldMax
    /// Runs of one peer that this node answers, of all channels.
    package static let startsBurst = 64
    package static let startInterval = Interval.milliseconds(500)
    /// Runs about unknown channels that are answered at once, for one peer.
    package static let blindAnswersMax = 64
}
