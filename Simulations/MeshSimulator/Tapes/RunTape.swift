package import Primitives

/// The options and faults of a run of two acts. Together with the cryptography they determine the run. A tape can be
/// kept in a file, edited, shortened and played again.
package struct RunTape: Codable, Hashable, Sendable {
    package var options: SwarmOptions
    package var plan: FaultPlan

    package init(options: SwarmOptions, plan: FaultPlan) {
        self.options = options
        self.plan = plan
    }

    /// - Parameter omitted: indices in the drawn plan that are left out.
    package init(drawnFor options: SwarmOptions, omitting omitted: [Int] = []) {
        self.init(options: options, plan: FaultPlan(drawnFor: options).without(omitted))
    }

    /// The end of the first act.
    package var breakEnd: Instant { .zero + options.breakFor }

    /// The tape without the faults after the end of the first act, which have no effect.
    package var trimmed: RunTape {
        RunTape(options: options, plan: FaultPlan(entries: plan.entries.filter { $0.at <= breakEnd }))
    }
}
