/// What a start found wrong with its state folder, and what it did about it; shown in `status`.
package enum StateWarning: Hashable, Sendable, CustomStringConvertible {
    /// Nothing can be kept: identity and counter live in memory.
    case guest(StateFileError)
    case counterExhausted
    /// The others see a new node.
    case identityWasDamaged
    /// There is a counter, so there was a key.
    case identityWasLost
    case counterFromOneFile
    /// Started again from the wall clock, which is ahead of any count of starts.
    case counterWasLost
    case databaseSetAside
    case databaseInMemory(String)

    package var description: String {
        switch self {
        case .guest(let error):
            "running as a guest: \(error); the identity is gone when the node ends"
        case .counterExhausted:
            "running as a guest: the instance counter is used up; remove the state folder for a new identity"
        case .identityWasDamaged:
            "the identity key was damaged and is kept as identity.key.damaged; the others see a new node"
        case .identityWasLost:
            "the identity key was lost; the others see a new node"
        case .counterFromOneFile:
            "one of the two instance files was lost or damaged; the other one was used"
        case .counterWasLost:
            "the instance counter was lost; it goes on from the wall clock"
        case .databaseSetAside:
            "the database was damaged and is kept as partyline.sqlite.damaged; remembered peers and volumes are lost"
        case .databaseInMemory(let why):
            "nothing is remembered for the next start: \(why)"
        }
    }
}
