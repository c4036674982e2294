/// Everything that a mesh node drops, refuses or notices, one name each; shown in `status`.
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
    /// Somebody has met a higher instance of this node than it is running: its counter was rolled back.
    case ownInstanceRolledBack
    case instanceAdvances
    case duplicateIdentities

    case framesMalformed
    case framesUnexpected
    case framesOfUnknownCarrier
    case hellosForged
    case invitesStale
    case acceptsStale
    case keyOffersStale
    /// Invitations and offers of new keys.
    case agreementsOverRate
    case carriersOverLimit
    /// Connections from beyond the own networks, which nobody asked for.
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
    case linkStatesUnexpected
    case linkStatesOverRate
    /// Changes of a row that has not come.
    case linkChangesUnfounded

    case beaconsMalformed
    case beaconsOtherMesh
    case beaconsForged
    case beaconsOverRate

    case pathChallengesSent
    case pathChallengesOverRate
    case pathChallengesTooLarge
    case pathAnswersTooLarge
    case pathAnswersUnknown
    case pathTableFull

    /// Datagrams of other pairs that this node brought on, and those that it did not.
    case relaysForwarded
    case relaysUndeliverable
    case relaysOverQuota
    case relaysNested
    /// Own datagrams through a neighbour that could not be handed over, or were not taken in.
    case relaysLost

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
    /// Dials at one of the dead, drawn at random.
    case deadRetried
    case flapsDamped
    case localResets
    case cooldownsCut
    case linksUp
    case linksDown
    case sessionsReplaced
    case rekeys
    case keysExpired
    case keyIDsExhausted
    case ownPauses
    /// Deadlines handled late, by less than a pause.
    case ownLags
    /// Times that nobody at all was heard for a while.
    case receiveOutages
    case controlBlocksSent
    case controlBlocksRiding
    case recordsPushed
    case versionExchanges
    case linkStatesSent
    case beaconsSent
}
