/// What `partyline doctor --json` prints.
package struct DoctorDocument: Codable, Hashable, Sendable {
    /// Always `partyline.doctor/1`.
    package var schema = "partyline.doctor/1"
    /// In the order in which they were made.
    package var checks: [Check]

    package enum Verdict: String, Codable, Hashable, Sendable { case pass, warn, fail }

    /// One thing that was looked at.
    package struct Check: Codable, Hashable, Sendable {
        /// `fail` means that a node cannot do its work.
        package var verdict: Verdict
        /// What was looked at.
        package var subject: String
        /// What was found.
        package var finding: String
        /// What to do about it; absent on `pass`.
        package var remedy: String?
    }
}
