package import Primitives
import Wire

/// Times and bounds of the mesh protocol; those of single messages are in `WireLimits`. A test checks the relations
/// between them. A `…Burst` counts the things in its name that may come at once. After them, one more may come in each
/// `…Interval` (`TokenBucket`).
package enum MeshLimits {
    // MARK: Heartbeat and verdicts

    /// The longest interval between control blocks; jitter only shortens it.
    package static let controlInterval = Interval.milliseconds(500)
    /// The largest share of `controlInterval` that jitter takes away (RFC 5880 §6.8.7).
    package static let controlJitterPermilleMax: UInt64 = 250
    /// If the control block is due within this time, it leaves together with a voice packet: in its datagram, or in one
    /// just before it.
    package static let controlRideAhead = Interval.milliseconds(40)
    /// If nothing authentic came from the peer for this long, the verification of the link begins. Where more than
    /// `controlLossPermilleEasy` of the control blocks are lost, the time is longer.
    package static let silenceMax = Interval.seconds(1)
    /// The longest silence of a peer before the verification of its link begins, if many control blocks are lost.
    package static let silenceLongest = Interval.seconds(4)
    /// Up to this share of lost control blocks, `silenceMax` stays as it is. Each further `controlLossPermilleStep`, or
    /// part of it, adds one control interval.
    package static let controlLossPermilleEasy = 100
    package static let controlLossPermilleStep = 40
    /// Number of control blocks over which the loss is averaged: about one minute. Of blocks lost in a row, at most
    /// `controlLossRunMax` count.
    package static let controlLossMemory: Int64 = 128
    package static let controlLossRunMax: Int64 = 3
    /// If the newest control block that the peer has echoed left longer ago than this, the verification of the link
    /// begins, although other datagrams come. The limit grows with the loss by as much as `silenceMax`. An echo that
    /// comes more than `echoSilenceMax` after its control block left does not count.
    package static let echoSilenceMax = Interval.milliseconds(1_400)
    /// If no probe is answered within this time, the link goes down; later if this node suspects a fault of its own.
    package static let verificationMax = Interval.milliseconds(500)
    package static let probeInterval = Interval.milliseconds(100)
    /// Probes that leave at `probeInterval`.
    package static let probesQuickMax = 3
    /// Interval of the probes after `probesQuickMax`. They leave only where a verification lasts longer because this
    /// node suspects a fault of its own: a lost path may be back.
    package static let probeSlowInterval = Interval.milliseconds(300)...Interval.milliseconds(360)
    /// If a deadline is handled this late or later, this node was absent: it could receive nothing since the deadline.
    package static let absenceMin = Interval.milliseconds(200)
    /// After a longer absence than this, peers may have given this node up. It probes them at once, and dials without a
    /// wait if a carrier has closed.
    package static let longAbsenceMin = Interval.seconds(1)
    /// The greatest factor by which a node of poor local health prolongs a verification.
    package static let verificationFactorMax: Int64 = 4
    /// If there are so many neighbours or more, and all fall silent at once, the fault is probably this node's own.
    package static let receiveOutageNeighboursMin = 3
    /// If there are `receiveOutageNeighboursMin` neighbours, and at the end of a verification nothing has come from any
    /// neighbour for this long, the link goes down only `receiveOutagePatience` later.
    package static let receiveOutageSilenceMin = Interval.milliseconds(750)
    package static let receiveOutagePatience = Interval.seconds(2)
    /// If a datagram comes after so long a silence of all peers, and this node has sessions with
    /// `receiveOutageNeighboursMin` peers at least, the silence was a receive outage of this node.
    package static let receiveOutageMin = Interval.milliseconds(1_250)

    // MARK: The verdict that a peer is dead

    /// Time from link down to dead, at a node of good health: `suspicionMin` if no neighbour has a link to the peer,
    /// `suspicionMax` if a neighbour has one.
    package static let suspicionMin = Interval.milliseconds(4_500)
    package static let suspicionMax = Interval.seconds(24)
    /// Time from link down to dead for a node that has lost several peers and has no neighbour to ask. By then all
    /// keys of the lost sessions have expired.
    package static let suspicionAloneMax = keysLifetimeMax
    /// Signs of an own fault that count (Lifeguard, arXiv 1707.00788 §4.1).
    package static let healthScoreMax = 8
    package static let healthRecoveryInterval = Interval.seconds(1)
    /// Interval between dials of dead peers. It is multiplied by the number of linked neighbours plus one, because the
    /// neighbours dial too. The second value is for the time when no dead peer was seen within `seenMax`.
    package static let deadRetryInterval = Interval.milliseconds(1_000)
    package static let deadRetryIntervalLate = Interval.seconds(30)
    /// A dead peer that was dialled is not drawn again within this time.
    package static let deadRetryPeerInterval = Interval.seconds(9)
    /// Points for each loss of a link, and the most that count (RFC 2439 §4.2).
    package static let flapPenalty: Int64 = 1_000
    package static let flapPenaltyMax: Int64 = 6_000
    /// Above this penalty, the link counts as flapping: people are not told of each change of it, and this node
    /// advertises changes late. The third loss of a link within about 20 s raises the penalty above this.
    package static let flapSuppressAbove: Int64 = 2_200
    package static let flapReuseBelow: Int64 = 750
    package static let flapHalfLife = Interval.seconds(20)

    // MARK: Paths

    /// A path whose last echo is older is not chosen for the voice. If no path is alive, the last chosen one stays.
    package static let pathAliveMax = Interval.milliseconds(1_400)
    /// A direct path with an echo within this time stays chosen. A path with an older echo yields to any fresh one.
    package static let pathFreshMax = Interval.milliseconds(700)
    /// A direct path that a worse one has replaced takes voice too until its last echo is older than this. By then
    /// three probes over it were lost. They leave 1, 3 and 7 s after the replacement, and the replacement may come as
    /// late as `silenceLongest` after the last echo.
    package static let formerDirectMax = Interval.seconds(12)
    package static let directPathsMax = 4
    /// Paths through neighbours that a session keeps. Each side asks for `relaysAskedMax` paths of its own choice.
    package static let relayPathsMax = 4
    package static let relaysAskedMax = 2
    /// Interval between probes of a better path while a worse one carries the voice. It doubles from the first value
    /// to the second.
    package static let pathProbeIntervalMin = Interval.seconds(1)
    package static let pathProbeIntervalMax = Interval.seconds(10)
    /// The longest interval between probes of a session whose link is down; it doubles up to this. A link is up again
    /// within this time after a short outage, without a handshake.
    package static let sleepProbeIntervalMax = Interval.seconds(2)
    package static let pathChallengeBurst = 2
    package static let pathChallengeInterval = Interval.milliseconds(500)
    /// Least interval between two repetitions of challenges to addresses of a peer, two of them at a time, while no
    /// direct path carries the voice.
    package static let addressChallengeInterval = Interval.seconds(10)
    /// How many of its own control blocks a session remembers, to recognise their echoes. They are enough for the quick
    /// probes of a verification over all paths. They are also enough for as many answers to the quick probes of the
    /// peer, if the peer verifies the link at the same time.
    package static let sentControlBlocksMax = 64

    // MARK: Relay

    /// Pairs for which this node forwards. Each direction of a pair has a rate of its own.
    package static let relayPairsMax = 8
    package static let relayPairsPerOriginMax = 4
    /// A node that has begun so many of the pairs for which this node forwards, or fewer, loses none to another node.
    package static let relayPairsKeptMin = 2
    /// A path through a neighbour that was asked for and did not answer is asked for again after this time, or once the
    /// neighbour has lost the peer and reaches it again.
    package static let relayAskedAgain = Interval.seconds(20)
    /// Datagrams of a pair in each direction: 100 at once, and 500 a second. The shortest coded frames need 400, and
    /// control blocks come in addition.
    package static let relayBurst = 100
    package static let relayInterval = Interval.milliseconds(2)
    /// Datagrams of one neighbour with a relayed datagram inside that this node takes: as many as an honest neighbour
    /// passes on, since all its pairs may have this node at one end.
    package static let relayedPerPeerBurst = relayBurst * relayPairsMax
    package static let relayedPerPeerInterval = relayInterval / Int64(relayPairsMax)
    /// A pair that has sent nothing for this long leaves the table.
    package static let relayIdleMax = Interval.seconds(15)

    // MARK: Backoff

    package static let backoffFirst = Interval.milliseconds(500)
    package static let backoffMax = Interval.seconds(30)
    /// Doublings of the first wait. 2^6 · 0.5 s = 32 s exceeds `backoffMax`, so more would change nothing.
    package static let backoffDoublingsMax = 6
    package static let backoffUserAddressMax = Interval.seconds(5)
    /// Wait before an address is dialled again if another node, or this node itself, has answered there. A new record
    /// of the peer ends the wait.
    package static let wrongAddressRetry = Interval.seconds(60)
    /// The failures of a peer are forgotten once its link has been up for this long and has a carrier.
    package static let stableAfter = Interval.seconds(15)
    /// From this many failures on, status and events call the wait a quarantine.
    package static let failuresBeforeQuarantine = 5
    /// Interval between attempts while this node has no network. New addresses end the wait.
    package static let offlineRetry = Interval.seconds(5)
    /// A connect request, a new boot or a carrier of the peer ends this node's wait, after failures or as a follower
    /// after a hint, at most once in this time.
    package static let cooldownCutInterval = Interval.seconds(2)

    // MARK: Dials

    package static let dialsAtOnceMax = 8
    package static let dialBurst = 64
    package static let dialInterval = Interval.milliseconds(500)
    /// Interval between dials of two addresses of one peer (RFC 8305 §5, connection attempt delay).
    package static let dialStagger = Interval.milliseconds(250)
    package static let dialWaitMax = Interval.seconds(3)
    /// The longest dial of a peer that was never linked. It covers one lost SYN, which is sent again after 1 s. It is
    /// short, because dials of invented peers, at addresses without a host, can occupy all dials that may run at once.
    package static let newPeerDialMax = Interval.milliseconds(1_500)
    package static let offLinkDialInterval = Interval.seconds(30)
    package static let addressesPerPeerMax = 16
    package static let staticPeersMax = 64
    package static let learnedPrefixesMax = 16

    // MARK: Media keys

    /// The key generation that INVITE and ACCEPT agree on.
    package static let firstGeneration: UInt32 = 1
    /// The age of the keys at which the leader offers new ones without a heartbeat. While the leader sends voice, the
    /// voice carries its control blocks, and no heartbeat leaves with which it would offer new keys at 110 s.
    package static let rekeyInterval = Interval.seconds(120)
    package static let rekeyAnswerMax = Interval.seconds(5)
    /// Offers without an answer after which the carrier counts as broken.
    package static let rekeyOffersMax = 2
    /// Invitations and key offers of one peer that are answered at once. Each key agreement costs much computation.
    package static let agreementsBurst = 32
    package static let agreementInterval = Interval.milliseconds(500)
    /// Comparisons of words that one peer may begin at once, and how often later. Each is shown to a person.
    package static let comparisonsBurst = 3
    package static let comparisonInterval = Interval.seconds(10)
    package static let keysLifetimeMax = Interval.seconds(180)
    /// How long the keys of a replaced session still open datagrams after the new session is in use.
    package static let retiredSessionLifetime = Interval.seconds(5)

    // MARK: Gossip

    package static let recordsMax = 1_024
    package static let newIdentitiesBurst = 64
    package static let newIdentityInterval = Interval.seconds(6)
    /// The most records in one answer to a list of versions. The peer gets the other records after its next list.
    package static let recordsPerVersionsMax = 8 * WireLimits.recordsPerFrameMax
    package static let versionsAnsweredBurst = 4
    package static let versionsAnsweredInterval = Interval.seconds(1)
    /// How many versions of records this node sends one peer at once: as many full lists of versions as it needs to get
    /// all records of a full roster, since each answer to a list has at most `recordsPerVersionsMax` records. After
    /// that it sends 77 versions a second, some 4 KB a second.
    package static let versionsSentBurst = recordsMax / recordsPerVersionsMax * WireLimits.recordVersionsPerFrameMax
    package static let versionSentInterval = Interval.milliseconds(13)
    /// A record counts while some node saw its subject within this time.
    package static let seenMax = Interval.seconds(600)
    /// An indirect record counts for this long, unless a node reports that it has seen the subject.
    package static let indirectMax = Interval.seconds(60)
    /// Seconds added to the age of a sighting when it is sent. It exceeds what rounding and transit take away.
    package static let seenSecondsAdded: Int64 = 2
    /// A new record waits this long for others before it is sent, so that many boots at once cause few frames.
    package static let gossipDelay = Interval.milliseconds(50)
    /// A node pushes the record of another node at most once in this time, and then only the newest.
    package static let newsInterval = Interval.seconds(1)
    /// Records from beacons are passed on at this limited rate, because all nodes nearby hear the same beacon. Nodes
    /// that still lack a record get it when digests are compared.
    package static let beaconNewsBurst = MeshScale.peersMax
    package static let beaconNewsInterval = Interval.milliseconds(500)
    /// Wait from the first sight of a different digest to the comparison of versions. It is longer than a control
    /// interval, so a peer that has received the change has sent its new digest by then.
    package static let antiEntropyDelay = Interval.milliseconds(600)
    package static let linkStatesInterval = Interval.seconds(1)
    /// The least time between two advertisements of link states, if only the path to a peer or the link of a flapping
    /// peer has changed. A change of a flapping link also waits this long at least: the link may change back.
    package static let linkStatesIntervalPatient = Interval.seconds(4)
    package static let linkStatesDelay = Interval.milliseconds(50)
    /// The time until this node next compares its link states with those that it last sent each neighbour, if no link
    /// and no path changes before.
    package static let linkStatesClassInterval = Interval.seconds(10)
    /// Added to `linkStatesClassInterval` for each link, after link states were sent only because a class of round trip
    /// or of loss had changed. With n links, the frame of link states has 105 + 44 n bytes, headers of TCP and TLS
    /// included.
    package static let linkStatesClassIntervalPerLink = Interval.seconds(5)
    /// A view (link states or channels) is sent again if the neighbour does not hold it after a round trip and this
    /// time. The time doubles with each resend, at most `viewAnswerDoublingsMax` times.
    package static let viewAnswerWait = Interval.milliseconds(250)
    package static let viewAnswerDoublingsMax = 4
    /// How many changed views of one kind (link states or channels) this node takes from one peer. The rate is twice
    /// that at which a peer sends link states. While this node is paused, link states of the peer queue up in the
    /// carrier. The burst of link states is enough for all of them.
    package static let linkStatesAcceptedBurst = 32
    package static let channelsAcceptedBurst = 8
    /// How many changed lists of its channels this node sends a neighbour before the neighbour's control blocks name
    /// one of them as received. With the list that they named before, a voice label has four meanings at most.
    package static let channelsUnconfirmedMax = 3
    /// Datagrams that carry a changed list of channels, and the time between two of them.
    package static let listsAhead = 3
    package static let listsAheadInterval = Interval.milliseconds(20)
    package static let viewAcceptedInterval = Interval.milliseconds(500)
    package static let recordChecksBurst = 256
    package static let recordCheckInterval = Interval.milliseconds(5)
    /// How many signatures this node checks for one peer. The burst covers all records that a peer may send in one
    /// answer to a list of versions.
    package static let recordChecksPerPeerBurst = 128
    package static let recordCheckPerPeerInterval = Interval.milliseconds(20)
    /// How many signatures this node still checks for one peer after other peers have used up the allowance of all.
    package static let recordChecksReservedBurst = 8
    package static let recordCheckReservedInterval = Interval.seconds(1)

    // MARK: What peers say of themselves

    /// How many changes of a peer's flags (it talks, records, takes voice without a codec) this node reports to the
    /// shell at once. A further change is only delayed: the next control block of the peer, within half a second, has
    /// the flags again.
    package static let flagChangesBurst = 16
    package static let flagChangeInterval = Interval.milliseconds(250)

    // MARK: Connect requests

    package static let connectRequestInterval = Interval.seconds(2)
    /// After this many connect requests without a link, the follower sends them at `connectRequestSlowInterval`.
    package static let connectRequestsQuickMax = 15
    package static let connectRequestSlowInterval = Interval.seconds(30)
    package static let connectRequestNeighboursMax = 2
    package static let connectRequestsForwardedBurst = 64
    package static let connectRequestsForwardedInterval = Interval.milliseconds(100)
    /// The share of one follower in the connect requests that this node forwards. A follower that comes back into a
    /// mesh sends connect requests to many leaders.
    package static let connectRequestsForwardedPerPeerBurst = 16
    package static let connectRequestsForwardedPerPeerInterval = Interval.milliseconds(250)

    // MARK: Beacon

    /// How long a node of a closed mesh uses one salt for its beacons and its Avahi service.
    package static let beaconSaltLifetime = Interval.seconds(86_400)
    package static let beaconFirstMax = Interval.milliseconds(100)
    package static let beaconSecond = Interval.milliseconds(250)...Interval.milliseconds(450)
    package static let beaconThird = Interval.milliseconds(300)...Interval.milliseconds(500)
    package static let beaconInterval = Interval.milliseconds(9_500)...Interval.milliseconds(10_000)
    /// The shortest interval between beacons of the announcer, while the clique is complete.
    package static let announcerInterval = Interval.seconds(27)
    package static let beaconChecksBurst = 64
    /// 200 checks a second take about 2 % of one processor.
    package static let beaconCheckInterval = Interval.milliseconds(5)
    /// More than one, because several nodes may share a host.
    package static let beaconChecksPerSourceBurst = 16
    package static let beaconCheckPerSourceInterval = Interval.seconds(1)
    /// Sources whose allowance is kept, of beacons and of comparisons.
    package static let sourcesCountedMax = 64
    /// Senders of unreadable beacons that wait to be dialled, and for how long.
    package static let sendersWaitingMax = 16
    package static let sendersWaitMax = Interval.seconds(5)
    /// The interval at which a linked member dials one node whose beacon or Avahi service it cannot read
    /// (`WaitingRoom`), as long as it has no link to some known member.
    package static let slowSenderInterval = Interval.seconds(30)
    /// The most addresses of Avahi services that a node keeps although it cannot read the services. While it has no
    /// link, it queues all of them to be dialled (`WaitingRoom`), once in each `servicesInterval`.
    package static let servicesKeptMax = 64
    package static let servicesInterval = sendersWaitMax
    /// Senders that are tried at once, each of another source.
    package static let sendersTriedMax = 4
    /// The longest dial of a node whose beacon or Avahi service this node cannot read (`WaitingRoom`). It is short:
    /// such a node is mostly on a network of this host and answers fast.
    package static let senderDialMax = Interval.seconds(1)
    /// How long a sender that has answered the dial counts among the `sendersTriedMax` that are tried at once.
    package static let sendersAnswerMax = proofWaitMax

    // MARK: Media

    /// Datagrams of one peer that this node takes at once: 160 ms of the shortest frames, which last 1.25 ms. Older
    /// voice is not played any more. To open so many datagrams takes 1 ms.
    package static let datagramsPerPeerBurst = 128
    package static let datagramsPerPeerInterval = Interval.milliseconds(1)
    package static let keyIDsMax = 1_024
    package static let admissionKnownMax = 1_024
    package static let blockedMax = 1_024
}
