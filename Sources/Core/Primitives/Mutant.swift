/// Deliberate faults of the protocol, switched on one at a time, to prove that the simulator notices
/// them (docs/SIMULATION.md, "Mutants").
///
/// Only a build with PARTYLINE_MUTANTS=1 can switch one on. In every other build `isOn` is the constant
/// false, which is inlined (as public declarations are, see `Instant`), so that nothing is left of the places that ask.
public enum Mutant: String, CaseIterable, Sendable {
    // MARK: Instances

    /// Nothing is a ghost: an instance below the highest seen is as good as any.
    case ghostsLive
    /// Only the greeting of a ghost is let in.
    case ghostHelloAccepted
    /// A boot of a higher instance does not end the session of the one before.
    case higherInstanceIgnored
    /// A boot raises its counter as often as it is told of a higher one.
    case raisesUnlimited
    /// A boot raises its counter although the other one lives.
    case raisesBesideTwin
    /// A second boot takes the place of one that is up, without asking it.
    case twinReplaces

    // MARK: Election

    case followerInvites
    case bothInvite
    /// INVITE is taken whatever it echoes and however old its attempt.
    case staleInviteAccepted
    /// Up as soon as keys are agreed, without an echo.
    case upWithoutEcho
    /// The old session ends before the new one is proved.
    case breaksBeforeMake
    /// A link that lost is forgotten with its keys.
    case sleepingSessionForgotten
    case refusalCountsAsFailure
    case blockedMayEnter
    case otherMeshMayEnter

    // MARK: Waiting

    case backoffNotCounted
    case backoffWithoutJitter
    case cooldownCutUnlimited
    case failuresNeverCleared
    case stableAtOnce
    /// One quarantined peer ends every link.
    case quarantineOfAll
    case dialsUnlimited
    case noKnock

    // MARK: Verdicts

    case verifyingNeverEnds
    case verifiesWithoutProbes
    case probeNotAnswered
    case ownPauseIgnored
    /// Whoever was not heard while this node stood still is given up.
    case ownPauseAccuses
    case carrierCloseIgnored
    case leaveIgnored
    case heartbeatWithoutJitter
    case heartbeatTooOften
    /// An echo of any age proves that the way is open now.
    case lateEchoCounts
    /// The slow verdict never falls.
    case deathNeverConcluded
    /// Who hears nobody takes everybody for dead as fast as one that its neighbours miss too.
    case lonelyAccuses
    /// A suspect that a neighbour still hears gets no more time.
    case vouchersIgnored
    /// People are told of every turn of a link that comes and goes.
    case flapsUndamped
    /// Where a peer listens is told as it is said, and not with the link; nor is the path of a link that is back.
    case channelsToldOnce
    case pathToldOnce

    // MARK: Keys and paths

    case replayWindowOff
    /// An old datagram that comes again ends the link.
    case replayEndsLink
    /// A peer may send as much as it likes.
    case floodsHeard
    case keyLifetimeIgnored
    case neverRekeys
    /// An offer made anew is of the same generation as the one before.
    case generationOfferedTwice
    case retiredSessionKept
    case keyIDsLeak
    /// A new source is a path before it has answered.
    case pathChallengeSkipped
    case pathChallengesUnlimited
    /// Where a peer says that it is, nobody asks; only where it is heard from.
    case toldAddressesNotAsked
    /// A lost carrier is dialled only where somebody tells that the peer is.
    case answeringPlaceNotDialled

    // MARK: Gossip

    /// A record is believed whoever has signed it.
    case forgedRecordBelieved
    /// An older record takes the place of a newer one.
    case gossipResurrects
    /// Versions are compared when a session begins and never again.
    case digestIgnored
    case rowNotSent
    case newsNotPushed
    case beaconNeverQuiet

    // MARK: Neighbours

    /// What a neighbour brought is brought on: two hops and more.
    case relayHopsUnlimited
    case relayQuotaIgnored
    /// Who is reached through a third itself is still sent what it shall bring to others.
    case relayedNeighbourKept
    /// Credits go back at once, whatever has passed.
    case tunnelRateIgnored
    /// A neighbour forwards beyond the window.
    case tunnelWindowIgnored
    case tunnelsPerOpenerUnlimited
    case tunnelsForwardedUnlimited
    /// Frames of a tunnel are taken from whoever knows its number.
    case tunnelOfAnyCarrier
    /// A tunnelled carrier forwards tunnels like a direct one.
    case tunnelsNest
    /// A link with a tunnelled carrier looks for no other, and refuses one.
    case tunnelNeverYields

    // MARK: Voice

    /// Everybody is sent the voice, whatever channel they are on.
    case voiceOnAllChannels
    /// A talker serves every listener as if nothing were lost.
    case receptionReportsIgnored
    /// What came late since this node stood still counts as the network's delay.
    case standstillBlamesNetwork
    /// A slot's buffer goes on with what it knew of its former holder.
    case formerVoiceKept

    #if PARTYLINE_MUTANTS
    /// The one that is on; set once, before any node is made.
    nonisolated(unsafe) package static var active: Mutant?
    package static let areBuilt = true
    public var isOn: Bool { Mutant.active == self }
    #else
    package static let areBuilt = false
    @inlinable public var isOn: Bool { false }
    #endif
}
