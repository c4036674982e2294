import Wire

/// The error of a parser; nil if it read a value. This is for loops, in which an expectation costs more than a parser.
/// An error costs more than both, because the testing library takes a backtrace of each. So loops parse no more input
/// than necessary.
func refusal(_ parse: () throws -> Void) -> WireError? {
    do {
        try parse()
        return nil
    } catch {
        return error as? WireError
    }
}
