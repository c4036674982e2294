import Primitives

/// The links: one for each peer that holds a slot, with its sessions and their keys, and the carriers that are open.
struct Links {
    private var table: PeerTable
    var carriers = CarrierTable()
    var keyIDs = KeyIDTable()
    /// The highest attempt number of any peer whose slot was given to another peer. A new holder of a slot begins
    /// there.
    var attemptFloor: UInt32 = 0

    init(_ capacity: MeshCapacity) { table = PeerTable(capacity) }

    var indices: Range<Int> { table.indices }
    var all: [PeerLink] { table.peers }
    var isFull: Bool { table.isFull }

    // A getter, not `_read`: see `PeerTable`.
    subscript(index: Int) -> PeerLink {
        get { table[index] }
        _modify { yield &table[index] }
    }

    func index(of node: NodeID) -> Int? { table.index(of: node) }

    mutating func append(_ node: NodeID, isLeader: Bool) -> Int { table.append(node, isLeader: isLeader) }

    mutating func replace(_ index: Int, with node: NodeID, isLeader: Bool) {
        table.replace(index, with: node, isLeader: isLeader)
    }

    /// Returns the session of a peer that opens datagrams under `keyID`.
    func session(of index: Int, opening keyID: UInt32) -> (Session, SessionRole)? {
        if let session = self[index].session, session.keyIDs.contains(keyID) { return (session, .current) }
        if let session = self[index].candidate, session.keyIDs.contains(keyID) { return (session, .candidate) }
        return self[index].retired.map { ($0.session, .retired) }
    }
}
