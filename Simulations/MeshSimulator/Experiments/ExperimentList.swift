extension Experiment {
    /// Every experiment, in the order in which `meshsim experiment --list` shows them.
    package static let all: [Experiment] = [
        .bounds, .oneWay, .lossyNode, .dissemination, .broadcast, .slowProcessors, .suspicionTrade,
        .starved, .starvedFleet,
    ]

    package static func named(_ name: String) -> Experiment? { all.first { $0.name == name } }
}
