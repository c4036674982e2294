/// The file Regressions/seeds.txt: a line for each run that once failed.
///
/// `seed nodes  # why`; `nodes` is a count or `-` where it is drawn. Blank lines and comments are
/// skipped.
package struct RegressionSeed: Hashable, Sendable {
    package var seed: UInt64
    package var nodeCount: Int?
    package var reason: String

    package init(seed: UInt64, nodeCount: Int?, reason: String) {
        self.seed = seed
        self.nodeCount = nodeCount
        self.reason = reason
    }

    /// - Throws: the number and text of the first line that is neither a seed nor empty.
    package static func parse(_ text: String) throws(ScenarioError) -> [RegressionSeed] {
        var seeds: [RegressionSeed] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let words = (parts.first ?? "").split(separator: " ")
            guard !words.isEmpty else { continue }
            guard words.count == 2, let seed = UInt64(words[0]), words[1] == "-" || Int(words[1]) != nil else {
                throw ScenarioError(line: index + 1, text: "expected `seed nodes # why`: \(line)")
            }
            let reason = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
            seeds.append(RegressionSeed(seed: seed, nodeCount: Int(words[1]), reason: String(reason)))
        }
        return seeds
    }
}
