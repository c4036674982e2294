import ControlPlane
import NodeRuntime

extension Decodable {
    /// What a node would send as this text.
    init(json text: String) { self = try! DocumentJSON.document(Self.self, in: Array(text.utf8)) }
}

extension StatusDocument.Peer {
    /// A peer of which little is known. Without an `id` it has its short one.
    static func sample(
        _ name: String, id: String? = nil, _ shortId: String, _ instance: UInt64?, _ state: String, leader: Bool,
        _ change: (inout StatusDocument.Peer) -> Void
    ) -> StatusDocument.Peer {
        var peer = StatusDocument.Peer(
            json: #"""
                {
                  "name": "", "profile": {}, "id": "", "short_id": "", "state": "", "flapping": false, "leader": false,
                  "quality": 0, "talking": false, "recording": false, "muted": false, "gain_db": 0, "failures": 0,
                  "blocked": false
                }
                """#)
        (peer.name, peer.id, peer.shortId, peer.instance) = (name, id ?? shortId, shortId, instance)
        (peer.state, peer.leader) = (state, leader)
        change(&peer)
        return peer
    }
}

extension StatusDocument.Cell {
    static func sample(_ path: String, lossPct: Double? = nil) -> StatusDocument.Cell {
        var cell = StatusDocument.Cell(json: #"{"path": ""}"#)
        (cell.path, cell.lossPct) = (path, lossPct)
        return cell
    }
}

extension StatusDocument.Matrix {
    static func sample(ids: [String], names: [String], rows: [[StatusDocument.Cell]]) -> StatusDocument.Matrix {
        var matrix = StatusDocument.Matrix(json: #"{"ids": [], "names": [], "rows": []}"#)
        (matrix.ids, matrix.names, matrix.rows) = (ids, names, rows)
        return matrix
    }
}
