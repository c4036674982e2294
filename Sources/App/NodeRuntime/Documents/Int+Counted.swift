extension Int {
    /// The number with its noun: `1 peer`, `2 peers`. The plural of the noun must end in `s`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
