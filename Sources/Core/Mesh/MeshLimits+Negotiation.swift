package import Primitives
import Wire

/// Times and bounds of the negotiation between two nodes: from HELLO over admission to a link, and its renewals.
extension MeshLimits {
    /// How long the follower waits for the leader before the follower dials. The wait ends early when a beacon or
    /// gossip brings the first record of the leader, or one of a new boot (`connectAtOnce`).
    package static let followerDialWait = Interval.milliseconds(300)...Interval.milliseconds(600)
    /// The longest time from the opening of a carrier to the peer's PROOF, and, where this node needs them, to the
    /// peer's answer in JOIN and its GRANT. To the peer's HELLO it is `helloWaitMax`.
    package static let proofWaitMax = Interval.seconds(3)
    /// How long a neighbour that stays has for its proof of the newest epoch. If the proof is late, the neighbour's
    /// carriers close, and it has the same time once more on its next carrier.
    package static let epochProofWaitMax = Interval.seconds(5)
    /// How long a neighbour that has returned has for its proof of the newest epoch. The wait begins again while the
    /// maker of the epoch advertises a link to that neighbour, up to `returnedProofWaitMax` in all.
    package static let returnedProofWait = Interval.milliseconds(500)
    package static let returnedProofWaitMax = epochProofWaitMax * 2
    /// How long a node collects proofs of the newest epoch before it stores them.
    package static let epochProofsKeptAfter = Interval.seconds(2)
    /// A node that unites two independent changes of the code by a new epoch first waits for a random time. The wait is
    /// at most this interval times the number of members that the node knows, counted as eight at least and as
    /// `MeshScale.peersMax` at most. If two nodes make that epoch at nearly the same time, a dispute begins again. The
    /// waits are so long that only few nodes end theirs within the time in which a disk stores an epoch.
    package static let epochDisputeWaitPerMember = Interval.milliseconds(250)
    package static let epochDisputeMembersMin = 8
    /// The nodes that stay by the entries in dispute: the nodes of four entries.
    package static let epochDisputeStayMax = 4 * WireLimits.epochNodesMax
    /// EPOCH frames of one peer that a node judges: each costs it the check of a signature.
    package static let epochsBurst = 8
    package static let epochInterval = Interval.seconds(1)
    /// Epochs that a node uses without an order of its own person. For each one it writes a file, and sends its
    /// neighbours up to 17 KB.
    package static let epochsUsedBurst = 4
    package static let epochUsedInterval = Interval.seconds(5)
    /// How long a node waits before it sends the epoch of another node to a neighbour. Most neighbours have it already,
    /// and prove it meanwhile.
    package static let epochForwardedAfter = Interval.milliseconds(500)
    package static let helloWaitMax = Interval.seconds(5)
    /// Runs of JOIN that a member answers: 100 a second. A code of a mesh has at least some 40 bits, so a guesser needs
    /// centuries.
    package static let joinsBurst = 100
    package static let joinInterval = Interval.milliseconds(10)
    /// The most runs of JOIN that wait for their turn. If one more comes, this node refuses a run of the source with
    /// the most waiting runs, perhaps the new one.
    package static let joinsWaitingMax = 64
    /// Sources of which a queue remembers when they were served last: as many as a /24 network has addresses.
    package static let sourcesServedMax = 256
    /// Runs of JOIN that a newcomer may begin with all sources together: a burst, and then one in each interval. At
    /// most `ownJoinsAtOnceMax` are under way at the same time. Each run gives one guess to a node that may be hostile.
    package static let ownJoinsBurst = 64
    package static let ownJoinInterval = Interval.seconds(1)
    package static let ownJoinsAtOnceMax = 4
    /// Runs of JOIN that a newcomer begins with one source in a burst. So eight hostile sources together take at most
    /// `ownJoinsBurst`.
    package static let ownJoinsPerSourceBurst = 8
    package static let ownJoinPerSourceInterval = Interval.seconds(60)
    /// How long a pairing window is open, and how many failures close it. A pairing code has six digits, so
    /// three guesses meet it with a chance of 3 in a million.
    package static let pairingLifetime = Interval.seconds(300)
    package static let pairingFailuresMax = 3
    /// Nodes with which a newcomer compares its pairing code. Each may be hostile, and gets one guess at the code.
    package static let ownPairingJoinsMax = 16
    /// The interval of this node's beacons while its pairing window is open: a person waits until the newcomer finds
    /// it.
    package static let pairingBeaconInterval = Interval.milliseconds(1_500)...Interval.milliseconds(2_000)
    /// The longest wait after HELLO for INVITE, and the longest wait after INVITE for both ACCEPT and the first echo,
    /// unless `candidateEchoMin` prolongs it.
    package static let negotiationMax = Interval.seconds(3)
    /// The least time that a new session still has for its first echo, once the other side may have both halves of the
    /// keys.
    package static let candidateEchoMin = Interval.seconds(1)
    /// Events at once that ask the person about peers, as many as peers may wait; then one in each `questionInterval`.
    package static let questionsBurst = MeshScale.peersMax
    package static let questionInterval = Interval.seconds(10)
    /// Time after which a peer whose person has not decided is asked again.
    package static let decisionRetry = Interval.seconds(30)
    package static let refusalRetry = Interval.seconds(30)
    /// The wait after a refusal whose cause ends by itself, such as "already linked" or "cooling down".
    package static let refusalRetryShort = Interval.seconds(1)
    /// The shortest wait after the first refusal, whatever time the peer gives; after "already linked" it is
    /// `refusalRetryShort`. It doubles with each further refusal in a row, up to `refusalRetry`, but not while linked.
    package static let refusalRetryFirst = Interval.milliseconds(250)
    package static let refusalDoublingsMax = 7
    /// The wait of a boot that was refused because another boot of its identity is up. After this time it is known
    /// whether that other boot answers probes.
    package static let duplicateBootRetry = verificationMax + .milliseconds(100)
    /// Interval between the attempts of a boot that met a living duplicate.
    package static let duplicateRetry = Interval.seconds(5)
    /// How long a boot waits before its next attempt, if a peer has refused it at least twice because another boot of
    /// its identity lives. So its attempts stay within the bound of promise I10 (docs/SIMULATION.md).
    package static let duplicateRetryMax = Interval.seconds(8)
    /// A duplicate without a further beacon for this long counts as gone. It sends one about every 10 s.
    package static let duplicateKept = Interval.seconds(60)
    /// People are told of a duplicate once its newest beacon has come at least this long after its first one. A single
    /// late beacon of this node's own earlier start is not enough. The first three beacons of a duplicate are enough:
    /// they span more than this time.
    package static let duplicateSteadyMin = Interval.milliseconds(500)
    /// A boot whose instance counter was rolled back waits this long before it advances. Within this time every
    /// neighbour knows whether another boot of the same identity lives, and would report it.
    package static let advanceWait = Interval.milliseconds(2_500)
    /// A boot that was rolled back may advance this many times at once, because neighbours may have seen different
    /// instances of it.
    package static let advancesBurst = 4
    /// After `advancesBurst` advances, a boot may advance once in this time. So two living boots do not overtake each
    /// other again and again.
    package static let advanceInterval = Interval.seconds(60)
    package static let refusalRetryMax = Interval.seconds(300)
    package static let carriersPerPeerMax = 4
    /// Two carriers that both sides dialled at once open within this time of each other.
    package static let parallelCarriersMax = Interval.seconds(2)
    /// How many renewals of its carrier a link may begin in a burst. Then it may begin one in each `renewalInterval`.
    /// If the carrier is lost again while failed attempts to reach the peer are not forgotten yet (`stableAfter`), the
    /// next renewal begins `renewalInterval` after the last one at the earliest.
    package static let renewalsBurst = 3
    package static let renewalInterval = Interval.seconds(10)
    /// How long after the loss of the last network its addresses may come back before their carriers are given up. A
    /// cable is plugged in again within it; TCP goes on after so short an outage.
    package static let networkReturnMax = Interval.seconds(3)
    package static let followerRedialWait = Interval.milliseconds(1_000)...Interval.milliseconds(2_000)
}
