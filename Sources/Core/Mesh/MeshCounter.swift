import Trust

/// Everything that a mesh node counts: drops, refusals and notable events. `status` shows the counters by name.
package enum MeshCounter: Int, CaseIterable, Sendable {
    case datagramsMalformed
    case datagramsUnknownKey
    case datagramsReplayed
    case datagramsForged
    case datagramsExpiredKey
    case datagramBodiesMalformed
    case datagramsOverRate
    case voiceWithoutLink
    case voiceOversized
    case voiceBeforeUp
    case echoesLate

    case ghostHellos
    case ghostRecords
    case ghostLinkStates
    case ghostConnectRequests
    /// A peer has seen a higher instance of this node than that of this boot: the instance counter was rolled back, or
    /// a copy of the state folder runs too.
    case ownInstanceRolledBack
    case instanceAdvances
    case duplicateIdentities

    case framesMalformed
    case framesUnexpected
    case framesOfUnknownCarrier
    /// Frames about tables that were not sent, because the peer is not linked or has no carrier now.
    case tableFramesWithoutCarrier
    /// Frames about calls that were not sent, because the peer is not linked or has no carrier now.
    case callFramesWithoutCarrier
    /// Frames about calls on a channel whose code the peer has not proved; they were not sent.
    case callFramesWithoutTag
    /// Steps of proofs of channel codes that were not sent, because the peer is not linked or has no carrier now.
    case channelJoinsWithoutCarrier
    case hellosForged
    /// Carriers that this node refused before HELLO with the reason `noProof`: mostly the peer has shown neither the
    /// secret of this mesh nor its code.
    case proofsMissing
    /// Runs of JOIN whose two codes differ.
    case codesWrong
    /// Runs of JOIN that were not begun, because there were too many.
    case joinsOverRate
    /// Newcomers that were given the secret of the mesh.
    case newcomersAdmitted
    case invitesStale
    case acceptsStale
    case keyOffersStale
    /// Invitations and key offers above the allowance.
    case agreementsOverRate
    /// Comparisons of words that a peer began above its allowance.
    case comparisonsOverRate
    /// Comparisons of words in which the peer revealed another nonce than the one whose hash it had sent before.
    case comparisonsBroken
    /// Comparisons of words that the peer began and did not end, so that it alone knows the words. Counted when the
    /// next one begins.
    case comparisonsUnopened
    case carriersOverLimit
    /// Carriers refused because the peer dialled from an address that is not allowed (`Reachability.isWithinReach`).
    case carriersOffLink
    case refusalsSent
    case refusalsReceived
    case alreadyLinked

    case recordsForged
    case recordsOverRate
    case versionsOverRate
    case recordsNewOverLimit
    case recordsTableFull
    case peersTableFull
    case channelsOverRate
    case flagChangesOverRate
    case linkStatesOverRate

    case beaconsMalformed
    case beaconsOtherMesh
    case beaconsForged
    case beaconsOverRate
    /// Avahi services of another mesh, or of an epoch that this node does not have.
    case servicesOtherMesh
    /// Avahi services with a right tag, whose seal does not open.
    case servicesForged
    /// Addresses of Avahi services that this node cannot read, dropped because it keeps
    /// `MeshLimits.servicesKeptMax` of them already.
    case servicesOverLimit

    case pathChallengesSent
    case pathChallengesOverRate
    case pathChallengesTooLarge
    case pathAnswersTooLarge
    case pathAnswersUnknown
    case pathTableFull

    /// Datagrams between two other nodes that this node admitted as relay. The next two counters count those that it
    /// did not admit.
    case relaysForwarded
    case relaysUndeliverable
    case relaysOverQuota
    case relaysNested
    /// Relayed datagrams that this node could not hand to a neighbour, or did not accept from one.
    case relaysLost

    /// Peers about which no event asked the person: too many had asked a moment before.
    case questionsOverRate

    case connectRequestsForged
    case connectRequestsReplayed
    case connectRequestsOverRate
    case connectRequestsUndeliverable
    case connectRequestsDelivered

    case tunnelsRequested
    case tunnelsAccepted
    case tunnelsForwarded
    case tunnelsRefused
    case tunnelsOverLimit
    case tunnelsClosed
    case tunnelFramesUnknown

    case dialsStarted
    case dialsFailed
    case dialsToSelf
    case dialsToOthers

    case attemptsFailed
    case quarantines
    case suspicions
    case suspicionsRefuted
    case deaths
    case deadReturned
    /// Dials of dead peers that were drawn at random.
    case deadRetried
    case flapsDamped
    /// Attempts that were allowed to start at once, after failures or not (`Reachability.Peer.cutCooldown`).
    case cooldownsCut
    case linksUp
    case linksDown
    case sessionsReplaced
    case rekeys
    case keysExpired
    case keyIDsExhausted
    /// Absences of this node: a deadline was handled late, or the shell reported a pause.
    case ownPauses
    /// Receive outages: nothing came from any peer for a while.
    case receiveOutages
    case controlBlocksSent
    /// Control blocks that left together with voice: in its datagram, or in one just before it.
    case controlBlocksRiding
    case recordsPushed
    case versionExchanges
    case linkStatesSent
    /// Link states and channel lists that were sent again, because the neighbour did not hold them.
    case viewsResent
    case beaconsSent
    /// Changes of the code that this node has made or taken.
    case epochsUsed
    /// Changes of the code that had no effect.
    case epochsDropped
    case epochsOverRate
    /// Links that ended because the peer has not proved the newest epoch.
    case linksUnproved
}

extension MeshCounter {
    init(_ error: OpenError) {
        switch error {
        case .malformed: self = .datagramsMalformed
        case .unknownKey: self = .datagramsUnknownKey
        case .replayed: self = .datagramsReplayed
        case .forged: self = .datagramsForged
        case .expiredKey: self = .datagramsExpiredKey
        }
    }
}
