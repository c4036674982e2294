package import NodeRuntime

/// Which nodes of the mesh have no link to each other, for people.
package enum MissingLinks {
    /// The sentence, for example `not linked: this node with OPS, LX with SM, and 4 more pairs`. Nil where all nodes
    /// are linked with all.
    package static func sentence(_ status: StatusDocument) -> String? {
        guard !status.mesh.cliqueComplete else { return nil }
        let pairs = own(status) + others(status)
        guard !pairs.isEmpty else { return unsure(status) }
        let more = pairs.count - pairsNamedMax
        let rest = more <= 0 ? [] : ["and \(more) more \(more == 1 ? "pair" : "pairs")"]
        return "not linked: " + (Array(pairs.prefix(pairsNamedMax)) + rest).joined(separator: ", ")
    }

    private static let pairsNamedMax = 3

    /// The pairs of this node with a peer. A peer without the number of a start is a stranger, with no record here.
    private static func own(_ status: StatusDocument) -> [String] {
        guard status.mesh.linksUp < status.mesh.peersKnown else { return [] }
        let missed = status.peers.filter { peer in
            !peer.isLinked && peer.presence != "dead" && peer.presence != "left" && peer.instance != nil
                && !peer.blocked && peer.trust != "denied"
        }
        return missed.map { "this node with \($0.listedName)" }
    }

    /// The pairs of which one node says that it has no link to the other. Its own links this node knows better.
    private static func others(_ status: StatusDocument) -> [String] {
        let matrix = status.matrix
        func lacks(_ row: Int, _ column: Int) -> Bool {
            matrix.rows.indices.contains(row) && matrix.rows[row].indices.contains(column)
                && matrix.rows[row][column].path == "none"
        }
        let nodes = matrix.ids.indices.filter { matrix.ids[$0] != status.node.shortId }
        return nodes.flatMap { first in
            nodes.filter { first < $0 && (lacks(first, $0) || lacks($0, first)) }
                .map { "\(name(first, in: matrix)) with \(name($0, in: matrix))" }
        }
    }

    /// What is said where no pair is known to have no link: some nodes have not told of their links yet, or know a node
    /// that this one has not seen.
    private static func unsure(_ status: StatusDocument) -> String {
        let matrix = status.matrix
        let silent = matrix.ids.indices.filter { row in
            matrix.rows.indices.contains(row) && matrix.rows[row].contains { $0.path == "unknown" }
        }
        guard !silent.isEmpty else { return "not all nodes are linked with each other yet" }
        let more = silent.count - pairsNamedMax
        let names = silent.prefix(pairsNamedMax).map { name($0, in: matrix) } + (more <= 0 ? [] : ["\(more) more"])
        return "it is not known yet with whom these are linked: \(names.joined(separator: ", "))"
    }

    private static func name(_ index: Int, in matrix: StatusDocument.Matrix) -> String {
        let name = matrix.names.indices.contains(index) ? matrix.names[index] : ""
        return Output.safe(name.isEmpty ? matrix.ids[index] : name)
    }
}
