extension StatusDocument {
    /// Who hears whom: row i is what node i says of node j.
    package struct Matrix: Codable, Hashable, Sendable {
        /// Short ids, in the order of rows and columns.
        package var ids: [String]
        /// Names in the same order.
        package var names: [String]
        /// `ids.count` rows of `ids.count` cells.
        package var rows: [[Cell]]

        package init(ids: [String], names: [String], rows: [[Cell]]) {
            self.ids = ids
            self.names = names
            self.rows = rows
        }
    }

    /// What one node says of its link to another.
    package struct Cell: Codable, Hashable, Sendable {
        /// `direct`, `via`, `carrier`, `none`, `self`, or `unknown` where no row has come.
        package var path: String
        /// Lower end of the loss class in per cent.
        package var lossPct: Double?
        /// Upper end of the round-trip class in milliseconds.
        package var rttMs: Double?

        package init(path: String, lossPct: Double? = nil, rttMs: Double? = nil) {
            self.path = path
            self.lossPct = lossPct
            self.rttMs = rttMs
        }

        private enum CodingKeys: String, CodingKey {
            case path
            case lossPct = "loss_pct"
            case rttMs = "rtt_ms"
        }
    }
}
