package import Primitives

/// A line of the file Regressions/seeds.txt: a run that once failed.
///
/// The form is `seed nodes [life] [hostile] [voice] [channels] [standings]  # why`. `nodes` is a count, or `-` if the
/// seed draws it. `life` is the length of a long life, such as `6h`. With `hostile` there are hostile members, with
/// `voice` people talk, with `channels` they name channels and call, with `standings` the mesh is closed. Blank lines
/// and comments are skipped.
package struct RegressionSeed: Hashable, Sendable {
    /// What the seed draws beside the mesh, if a line says so.
    package enum Part: String, CaseIterable, Sendable { case hostile, voice, channels, standings }

    package var seed: UInt64
    package var nodeCount: Int?
    package var life: Interval?
    package var parts: Set<Part> = []
    package var reason: String

    package init(
        seed: UInt64, nodeCount: Int?, life: Interval? = nil, parts: Set<Part> = [], reason: String
    ) {
        self.seed = seed
        self.nodeCount = nodeCount
        self.life = life
        self.parts = parts
        self.reason = reason
    }

    package var options: SwarmOptions {
        var options = SwarmOptions(seed: seed, nodeCount: nodeCount, life: life)
        if parts.contains(.hostile) { options.drawHostileMembers() }
        if parts.contains(.voice) { options.drawSpeech() }
        if parts.contains(.channels) { options.drawNaming() }
        if parts.contains(.standings) { options.drawStandings() }
        return options
    }

    /// The options of `meshsim run` that repeat the run, beside the seed and the number of nodes.
    package var words: [String] {
        (life.map { ["--life", TimeText.text($0)] } ?? [])
            + Part.allCases.filter(parts.contains).flatMap { ["--\($0.rawValue)", "drawn"] }
    }

    /// - Throws: `ScenarioError` with the number and the text of the first line that is neither a seed nor empty.
    package static func parse(_ text: String) throws(ScenarioError) -> [RegressionSeed] {
        var seeds: [RegressionSeed] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let words = (parts.first ?? "").split(separator: " ")
            guard !words.isEmpty else { continue }
            let reason = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
            guard let seed = RegressionSeed(words, reason: String(reason)) else {
                let form = "expected `seed nodes [life] [hostile] [voice] [channels] [standings] # why`"
                throw ScenarioError(line: index + 1, text: "\(form): \(line)")
            }
            seeds.append(seed)
        }
        return seeds
    }

    private init?(_ words: [Substring], reason: String) {
        guard 2 <= words.count, let seed = UInt64(words[0]), words[1] == "-" || Int(words[1]) != nil else { return nil }
        self.init(seed: seed, nodeCount: Int(words[1]), reason: reason)
        for word in words.dropFirst(2) {
            if let part = Part(rawValue: String(word)) {
                parts.insert(part)
            } else {
                guard life == nil, let length = TimeText.interval(String(word)) else { return nil }
                life = length
            }
        }
    }
}
