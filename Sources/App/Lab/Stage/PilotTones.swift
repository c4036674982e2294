/// A steady tone for each node, by which its voice is known in a recording.
///
/// Tones lie 70 Hz apart from 648 Hz upwards, a quarter of the step off the grid, so that no
/// second or third harmonic of one falls on another. Nodes that follow one another are 770 Hz
/// apart: those that talk at the same time stay apart even in a window of 20 ms.
package enum PilotTones {
    private static let stepHertz = 70.0
    private static let stepFirst = 9
    private static let stride = 11

    /// - Parameters:
    ///   - node: 0 ..< `nodes`.
    ///   - nodes: how many there are, at most 64.
    package static func hertz(of node: Int, among nodes: Int) -> Double {
        // A prime number of places, so that the stride visits each of them.
        let places = nodes <= 41 ? 41 : 67
        return stepHertz * (Double(stepFirst + node * stride % places) + 0.25)
    }
}
