/// A pairing window that is open.
package struct PairingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.pairing/1`.
    package var schema = "partyline.pairing/1"
    /// The name of the mesh.
    package var mesh: String
    /// The code, six digits, which one newcomer types at `partyline enter`.
    package var code: String
    /// Seconds until the window closes by itself.
    package var openS: Double
    /// How many failures close the window: wrong codes, and comparisons that a node broke off.
    package var tries: Int
    /// Whether it has taken the place of a window that was open, whose code is of no use any more.
    package var replaced: Bool
}
