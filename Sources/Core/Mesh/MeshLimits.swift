package import Primitives
import Wire

/// Times and bounds of the mesh protocol (docs/WIRE.md, "Mesh"); their relations are held by a test.
package enum MeshLimits {
    // MARK: Heartbeat and verdicts

    /// A control block leaves at least this often; jitter only shortens it.
    package static let controlInterval = Interval.milliseconds(500)
    /// The largest share of `controlInterval` that jitter takes away (RFC 5880 §6.8.7).
    package static let controlJitterPermilleMax: UInt64 = 250
    /// A voice packet this close before the control block is due takes it along.
    package static let controlRideAhead = Interval.milliseconds(40)
    /// Nothing authentic for this long: the link is verified.
    package static let silenceMax = Interval.seconds(1)
    /// The same where much is lost; the longest that a silence may last.
    package static let silenceLongest = Interval.seconds(4)
    /// Loss up to this much leaves `silenceMax` as it is; each step above adds a control interval.
    package static let controlLossPermilleEasy = 100
    package static let controlLossPermilleStep = 40
    /// Blocks over which the loss is remembered: about a minute.
    package static let controlLossMemory: Int64 = 128
    package static let controlLossRunMax: Int64 = 3
    /// No echo for this long although something is heard: the link is verified.
    package static let echoSilenceMax = Interval.milliseconds(1_400)
    /// Unanswered probing for this long: the link is down.
    package static let verificationMax = Interval.milliseconds(500)
    package static let probeInterval = Interval.milliseconds(100)
    package static let probesQuickMax = 3
    /// After these, where this node doubts itself and a verification lasts longer: what was away may be back.
    package static let probeSlowInterval = Interval.milliseconds(300)...Interval.milliseconds(360)
    /// Crash to link down, whatever the phase of the heartbeat.
    package static let detectionMax = Interval.seconds(2)
    /// A deadline handled later than this means that this node itself stood still.
    package static let ownPauseMin = Interval.seconds(1)
    /// Later than this, that it is short of processor time.
    package static let ownLagMin = Interval.milliseconds(200)
    /// By how much a node whose health is in doubt probes longer, at most.
    package static let verificationFactorMax: Int64 = 4
    /// Of so many neighbours or more, silence of all at once is this node's own …
    package static let receiveOutageNeighboursMin = 3
    /// … when it has lasted this long: then no link goes down for `receiveOutagePatience`.
    package static let receiveOutageSilenceMin = Interval.milliseconds(750)
    package static let receiveOutagePatience = Interval.seconds(2)
    /// What comes after so much silence of all of them proves that it was this node's own.
    package static let receiveOutageMin = Interval.milliseconds(1_250)

    // MARK: The slow verdict

    /// From link down to dead where all neighbours agree, and where one still hears it.
    package static let suspicionMin = Interval.milliseconds(4_500)
    package static let suspicionMax = Interval.seconds(24)
    /// The same of a node that hears nobody at all: by then no key that it has is good any more.
    package static let suspicionAloneMax = keysLifetimeMax
    package static let healthScoreMax = 8
    package static let healthRecoveryInterval = Interval.seconds(1)
    /// One of the dead is dialled this often, times the neighbours that look as well; later on the other.
    package static let deadRetryInterval = Interval.milliseconds(1_000)
    package static let deadRetryIntervalLate = Interval.seconds(30)
    /// The same one is not drawn again within this.
    package static let deadRetryPeerInterval = Interval.seconds(9)
    package static let flapPenalty: Int64 = 1_000
    package static let flapPenaltyMax: Int64 = 6_000
    /// The third turn within some twenty seconds is above it.
    package static let flapSuppressAbove: Int64 = 2_200
    package static let flapReuseBelow: Int64 = 750
    package static let flapHalfLife = Interval.seconds(20)
    package static let resetInterval = Interval.seconds(30)
    package static let resetPeersMin = 3
    package static let resetSpread = Interval.seconds(2)

    // MARK: Paths

    /// A path whose last echo is older carries voice only where there is none better.
    package static let pathAliveMax = Interval.milliseconds(1_400)
    /// A direct path echoed within this stays the chosen one; a stale one yields to any that is fresh.
    package static let pathFreshMax = Interval.milliseconds(700)
    package static let directPathsMax = 4
    /// Ways through neighbours that a session keeps; each side asks `relaysAskedMax` of its own choice.
    package static let relayPathsMax = 4
    package static let relaysAskedMax = 2
    /// Probes of a better path while a worse one carries the voice: doubling between these.
    package static let pathProbeIntervalMin = Interval.seconds(1)
    package static let pathProbeIntervalMax = Interval.seconds(10)
    /// A session whose link is down is probed at doubling intervals up to this until its peer is taken for dead: a
    /// short outage is over within this, without a handshake.
    package static let sleepProbeIntervalMax = Interval.seconds(2)
    package static let pathChallengeBurst = 2
    package static let pathChallengeInterval = Interval.milliseconds(500)
    /// Control blocks whose echo is still recognised.
    package static let sentHeartbeatsMax = 32

    // MARK: Relay

    /// Pairs for which this node forwards, each way counted by itself.
    package static let relayPairsMax = 8
    package static let relayPairsPerOriginMax = 4
    /// A neighbour that was asked in vain is passed over for this long.
    package static let relayAskedAgain = Interval.seconds(20)
    package static let relayBurst = 100
    /// 400 datagrams a second, each way.
    package static let relayInterval = Interval.microseconds(2_500)
    /// A pair that has sent nothing for this long leaves its place.
    package static let relayIdleMax = Interval.seconds(15)

    // MARK: Election and negotiation

    /// The follower's wait for the leader before it dials itself.
    package static let followerDialWait = Interval.milliseconds(300)...Interval.milliseconds(600)
    package static let helloWaitMax = Interval.seconds(5)
    /// INVITE sent or awaited, and keys agreed but no nonce echoed yet.
    package static let negotiationMax = Interval.seconds(3)
    /// From the other side having both halves of the keys to the new session's first echo.
    package static let candidateEchoMax = Interval.seconds(1)
    /// An undecided peer is asked again after this.
    package static let decisionRetry = Interval.seconds(30)
    package static let refusalRetry = Interval.seconds(30)
    /// Refusals that heal by themselves: already linked, cooling down.
    package static let refusalRetryShort = Interval.seconds(1)
    /// At least this after the first refusal, whatever the peer says; twice as long after each further one, up to
    /// `refusalRetry`.
    package static let refusalRetryFirst = Interval.milliseconds(250)
    package static let refusalDoublingsMax = 7
    /// By then it is known whether the boot that is up answers.
    package static let duplicateBootRetry = verificationMax + .milliseconds(100)
    /// Between the tries of a boot whose duplicate lives, or lived.
    package static let duplicateRetry = Interval.seconds(5)
    /// From the second try on, while the duplicate lives: eight a minute, within the bound on attempts.
    package static let duplicateRetryMax = Interval.seconds(8)
    /// A boot whose counter was rolled back waits this long for word of a living duplicate: long enough
    /// for every neighbour to notice a death.
    package static let advanceWait = Interval.milliseconds(2_500)
    /// Neighbours have seen different instances of a boot that was rolled back: so many raises at once,
    package static let advancesBurst = 4
    /// … and then one in so long: of two boots that live, none chases the other.
    package static let advanceInterval = Interval.seconds(60)
    package static let refusalRetryMax = Interval.seconds(300)
    package static let carriersPerPeerMax = 4
    /// Carriers that both sides dialled at once open within this of one another.
    package static let parallelCarriersMax = Interval.seconds(2)
    /// New carriers dialled for at once while a link lives; after a failure each waits for `renewalInterval`.
    package static let renewalsBurst = 3
    package static let renewalInterval = Interval.seconds(10)
    package static let followerRedialWait = Interval.milliseconds(1_000)...Interval.milliseconds(2_000)

    // MARK: Backoff

    package static let backoffFirst = Interval.milliseconds(500)
    package static let backoffMax = Interval.seconds(30)
    package static let backoffUserAddressMax = Interval.seconds(5)
    /// After somebody else, or this node itself, has answered there.
    package static let wrongAddressRetry = Interval.seconds(60)
    /// A link that stood this long has made up for its failures.
    package static let stableAfter = Interval.seconds(15)
    package static let failuresBeforeQuarantine = 5
    /// Between attempts while this node has no network; new addresses end the wait.
    package static let offlineRetry = Interval.seconds(5)
    package static let quarantine = Interval.seconds(30)
    /// A cooldown is cut short at most this often, by a connect request or a new instance.
    package static let cooldownCutInterval = Interval.seconds(2)

    // MARK: Dials

    package static let dialsAtOnceMax = 8
    package static let dialBurst = 64
    package static let dialInterval = Interval.milliseconds(500)
    /// Between two addresses of one peer (RFC 8305 §5, connection attempt delay).
    package static let dialStagger = Interval.milliseconds(250)
    package static let dialWaitMax = Interval.seconds(3)
    package static let offLinkDialInterval = Interval.seconds(30)
    package static let addressesPerPeerMax = 16
    package static let staticPeersMax = 64
    package static let learnedPrefixesMax = 16

    // MARK: Media keys

    /// What INVITE and ACCEPT agree on.
    package static let firstGeneration: UInt32 = 1
    package static let rekeyInterval = Interval.seconds(120)
    package static let rekeyAnswerMax = Interval.seconds(5)
    /// Invitations and offers that one peer may have answered: key agreements are dear.
    package static let agreementsBurst = 32
    package static let agreementInterval = Interval.milliseconds(500)
    package static let keysLifetimeMax = Interval.seconds(180)
    /// A replaced session's keys open for this long after the new session has taken over.
    package static let retiredSessionLifetime = Interval.seconds(5)

    // MARK: Gossip

    package static let recordsMax = 1_024
    package static let newIdentitiesBurst = 64
    package static let newIdentityInterval = Interval.seconds(6)
    /// Records in an answer to versions, at most: the rest waits for the next digest.
    package static let recordsPerVersionsMax = 8 * WireLimits.recordsPerFrameMax
    package static let versionsAnsweredBurst = 4
    package static let versionsAnsweredInterval = Interval.seconds(1)
    /// A record counts while somebody met its subject within this.
    package static let seenMax = Interval.seconds(600)
    /// The same of one that was only brought, until somebody says that it has met the subject.
    package static let indirectMax = Interval.seconds(60)
    /// What a witness's age gains by being told: more than it lost by rounding and on the way.
    package static let seenSecondsAdded: Int64 = 2
    /// News wait this long for more, so that a boot storm goes out in few frames.
    package static let gossipDelay = Interval.milliseconds(50)
    /// News of one subject are told on at most this often, the newest only.
    package static let newsInterval = Interval.seconds(1)
    /// What was heard by beacon, and so by all nearby, is told on at this rate; digests bring the rest.
    package static let beaconNewsBurst = MeshScale.peersMax
    package static let beaconNewsInterval = Interval.milliseconds(500)
    /// Digests that differ are compared after this: longer than a control interval, so that whoever has the news then
    /// has said so.
    package static let antiEntropyDelay = Interval.milliseconds(600)
    package static let antiEntropyInterval = Interval.seconds(1)
    /// Between exchanges that have been in vain.
    package static let antiEntropyIntervalMax = Interval.seconds(60)
    package static let antiEntropyDoublingsMax = 6
    package static let linkStatesInterval = Interval.seconds(1)
    /// The same where there is nothing but other paths, and links that come and go.
    package static let linkStatesIntervalPatient = Interval.seconds(4)
    package static let linkStatesDelay = Interval.milliseconds(50)
    package static let linkStatesClassInterval = Interval.seconds(10)
    /// Rows and changes of rows that are read of one peer: twice what it tells, and all that a node which stood still
    /// finds waiting.
    package static let linkStatesAcceptedBurst = 32
    package static let linkStatesAcceptedInterval = Interval.milliseconds(500)
    package static let recordChecksBurst = 256
    package static let recordCheckInterval = Interval.milliseconds(5)
    /// Of these, for what one peer brings: all that one answer to versions holds, at once.
    package static let recordChecksPerPeerBurst = 128
    package static let recordCheckPerPeerInterval = Interval.milliseconds(20)

    // MARK: What peers say of themselves

    package static let channelListsBurst = 8
    package static let channelListInterval = Interval.seconds(1)
    /// A control block says it again within half a second, so nothing is missed for good.
    package static let flagChangesBurst = 16
    package static let flagChangeInterval = Interval.milliseconds(250)

    // MARK: Connect requests

    package static let connectRequestInterval = Interval.seconds(2)
    /// After this many without a link the follower sends connect requests at `connectRequestSlowInterval`.
    package static let connectRequestsQuickMax = 15
    package static let connectRequestSlowInterval = Interval.seconds(30)
    package static let connectRequestNeighboursMax = 2
    package static let connectRequestsForwardedBurst = 64
    package static let connectRequestsForwardedInterval = Interval.milliseconds(100)
    /// Of these, one sender's: a node that comes back into a mesh sends them to many leaders.
    package static let connectRequestsForwardedPerPeerBurst = 16
    package static let connectRequestsForwardedPerPeerInterval = Interval.milliseconds(250)

    // MARK: Beacon

    package static let beaconFirstMax = Interval.milliseconds(100)
    package static let beaconSecond = Interval.milliseconds(250)...Interval.milliseconds(450)
    package static let beaconThird = Interval.milliseconds(300)...Interval.milliseconds(500)
    package static let beaconInterval = Interval.milliseconds(9_500)...Interval.milliseconds(10_000)
    /// Between the beacons of a whole clique, from the greatest of its nodes.
    package static let announcerInterval = Interval.seconds(27)
    package static let beaconChecksBurst = 64
    /// 200 a second cost some two hundredths of a processor.
    package static let beaconCheckInterval = Interval.milliseconds(5)
    /// Several nodes may share a host.
    package static let beaconChecksPerSourceBurst = 16
    package static let beaconCheckPerSourceInterval = Interval.seconds(1)
    package static let beaconSourcesMax = 64

    // MARK: Media

    /// 160 ms of the shortest frames, of 1.25 ms: what is older sounds no more. Opening so many takes a millisecond.
    package static let datagramsPerPeerBurst = 128
    package static let datagramsPerPeerInterval = Interval.milliseconds(1)
    package static let keyIDsMax = 1_024
    package static let invitationsKnownMax = 1_024
    package static let blockedMax = 1_024
}
