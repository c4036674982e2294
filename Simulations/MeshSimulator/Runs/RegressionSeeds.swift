package import Primitives

/// A line of the file Regressions/seeds.txt: a run that once failed.
///
/// The form is `seed nodes [life]  # why`. `nodes` is a count, or `-` if the seed draws it. `life` is the length of a
/// long life, such as `6h`. Blank lines and comments are skipped.
package struct RegressionSeed: Hashable, Sendable {
    package var seed: UInt64
    package var nodeCount: Int?
    package var life: Interval?
    package var reason: String

    package init(seed: UInt64, nodeCount: Int?, life: Interval? = nil, reason: String) {
        self.seed = seed
        self.nodeCount = nodeCount
        self.life = life
        self.reason = reason
    }

    package var options: SwarmOptions { SwarmOptions(seed: seed, nodeCount: nodeCount, life: life) }

    /// - Throws: `ScenarioError` with the number and the text of the first line that is neither a seed nor empty.
    package static func parse(_ text: String) throws(ScenarioError) -> [RegressionSeed] {
        var seeds: [RegressionSeed] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let words = (parts.first ?? "").split(separator: " ")
            guard !words.isEmpty else { continue }
            let life = words.count == 3 ? TimeText.interval(String(words[2])) : nil
            guard words.count == 2 || life != nil, let seed = UInt64(words[0]),
                words[1] == "-" || Int(words[1]) != nil
            else { throw ScenarioError(line: index + 1, text: "expected `seed nodes [life] # why`: \(line)") }
            let reason = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
            seeds.append(RegressionSeed(seed: seed, nodeCount: Int(words[1]), life: life, reason: String(reason)))
        }
        return seeds
    }
}
