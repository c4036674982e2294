/// What is left of an attempt after one of its dials has failed.
enum DialEnd {
    /// Nothing has to be done: other dials of the attempt go on, the dial was cancelled before, or it had a static
    /// address, which is dialled again later.
    case goesOn
    /// The dial went through a neighbour. Another neighbour may be asked beside the dials that go on.
    case tunnelFailed(of: Int)
    /// No address is left. Only a tunnel can still complete the attempt.
    case planIsOver(of: Int)
}
