/// A steady tone for each node, by which its voice is recognised in a recording.
///
/// The tones are 70 Hz apart, from 648 Hz upwards. They are a quarter of a step off the multiples of 70 Hz, so that no
/// second or third harmonic of a tone is another tone. Nodes with consecutive numbers may talk at the same time. Their
/// tones are usually 770 Hz apart, so a window of 20 ms is enough to separate them.
package enum PilotTones {
    private static let stepHertz = 70.0
    private static let stepFirst = 9
    private static let stride = 11

    /// - Parameters:
    ///   - node: 0 ..< `nodes`.
    ///   - nodes: the number of nodes, at most 64.
    package static func hertz(of node: Int, among nodes: Int) -> Double {
        // The number of places is prime, so steps of `stride` reach all of them.
        let places = nodes <= 41 ? 41 : 67
        return stepHertz * (Double(stepFirst + node * stride % places) + 0.25)
    }
}
