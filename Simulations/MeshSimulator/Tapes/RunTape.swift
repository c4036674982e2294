package import Primitives

/// What a run of two acts is a function of, besides its cryptography: its options and its faults. It
/// can be kept in a file, edited, shortened and played again.
package struct RunTape: Codable, Hashable, Sendable {
    package var options: SwarmOptions
    package var plan: FaultPlan

    package init(options: SwarmOptions, plan: FaultPlan) {
        self.options = options
        self.plan = plan
    }

    /// - Parameter omitted: positions in the drawn plan that are left out.
    package init(drawnFor options: SwarmOptions, omitting omitted: [Int] = []) {
        self.init(options: options, plan: FaultPlan(drawnFor: options).without(omitted))
    }

    /// The end of the first act.
    package var breakEnd: Instant { .zero + options.breakFor }

    /// Without what can no longer matter: the faults after the end of the first act.
    package var trimmed: RunTape {
        RunTape(options: options, plan: FaultPlan(entries: plan.entries.filter { $0.at <= breakEnd }))
    }
}
