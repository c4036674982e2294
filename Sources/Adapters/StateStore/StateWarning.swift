/// A fault of the state folder that a start found, and the remedy that it took; shown in `status`.
package enum StateWarning: Hashable, Sendable, CustomStringConvertible {
    /// The folder cannot be used: identity and counter are only in memory.
    case guest(StateFileError)
    /// The counter has its highest value: the node runs as a guest.
    case counterExhausted
    /// The key file was damaged. The node has a new key, so peers see a new node.
    case identityWasDamaged
    /// There is a counter but no key, so a key was lost. Peers see a new node.
    case identityWasLost
    /// One of the two counter files was lost or damaged.
    case counterFromOneFile
    /// The counter was lost. It starts from the wall clock in seconds, which is higher than any number of starts.
    case counterWasLost
    /// The database was damaged and renamed; a new one is used.
    case databaseSetAside
    /// The database file cannot be used; the text is the reason.
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
