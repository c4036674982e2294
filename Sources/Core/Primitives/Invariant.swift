/// Stops the program because it is wrong: an event that the present state cannot meet.
///
/// For bugs only. What a peer, a device or a person does is handled, never trapped
/// (docs/ARCHITECTURE.md, "Bugs and strangers").
package func illegal(_ event: @autoclosure () -> String, in state: @autoclosure () -> String) -> Never {
    preconditionFailure("illegal event \(event()) in state \(state())")
}
