/// Finds a shorter fault plan that still breaks the same promise.
///
/// Plain ddmin over the plan (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
/// input", 2002): halves, then quarters, down to single faults, keeping whatever still fails.
package struct Shrinker {
    package let options: SwarmOptions
    private let sealing: SealingFactory
    /// Runs that may be spent.
    private let runsMax: Int

    package init(_ options: SwarmOptions, runsMax: Int, sealing: @escaping SealingFactory) {
        self.options = options
        self.runsMax = runsMax
        self.sealing = sealing
    }

    /// Positions of the plan that may be left out while `checker` still complains.
    package func omissible(checker: String) -> [Int] {
        let count = FaultPlan(drawnFor: options).entries.count
        var omitted: [Int] = []
        var runs = 0
        var chunk = max(1, count / 2)
        while true {
            var start = 0
            while start < count {
                let candidate = (start..<min(start + chunk, count)).filter { !omitted.contains($0) }
                start += chunk
                guard !candidate.isEmpty else { continue }
                guard runs < runsMax else { return omitted.sorted() }
                runs += 1
                let report = TwoActs(options, omitting: omitted + candidate, sealing: sealing).run()
                if report.violation?.checker == checker { omitted += candidate }
            }
            guard 1 < chunk else { return omitted.sorted() }
            chunk /= 2
        }
    }
}
