/// What a hostile member does wrong. It runs the machines of the product, is linked and has the keys of its links; a
/// layer between its machines and the network lies.
package enum HostileConduct: String, CaseIterable, Codable, Sendable {
    /// It advertises links that do not exist or hides some, has a record that nobody else gets, changes its own record
    /// again and again, and vouches for the dead.
    case liar
    /// It advertises no link.
    case recluse
    /// It invents identities, signs records for them, and vouches for them.
    case sybil
    /// It refuses every other invitation, with any reason; half the time it says that a duplicate lives.
    case refuser
    /// It spends what its neighbours grant: checks of records, versions, connect requests, and tunnels that never end.
    /// It also offers tunnels of invented peers.
    case thief
    /// It does not read the datagrams that half the others send to it, so that neighbours have to relay for it.
    case leech
    /// It relays short datagrams alone, and advertises perfect links to everybody.
    case greyRelay
    /// It forwards the first pieces of each tunnel, and then nothing but signs of life.
    case staller
    /// It takes the names of the others, one after another.
    case impostor
    /// It sends frames and datagrams of others again, to anybody.
    case replayer
    /// Its identity was chosen among many, so that its NodeID is above or below all others.
    case ground
    /// It makes entries of the channel directory, and epochs, that are not its own to make.
    case forger
}
