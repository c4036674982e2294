import Wire

/// What stopped a parser; nil where it read a value. For loops, where an expectation costs more than a parser. An error
/// costs more than both, for the testing library takes a backtrace of each: loops ask no more bytes than they must.
func refusal(_ parse: () throws -> Void) -> WireError? {
    do {
        try parse()
        return nil
    } catch {
        return error as? WireError
    }
}
