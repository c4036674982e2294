/// Stops the program because it has a bug: `event` cannot happen in `state`.
///
/// No act of a peer, a device or a person may lead here; these are handled (docs/ARCHITECTURE.md, "Bugs and
/// strangers").
package func illegal(_ event: @autoclosure () -> String, in state: @autoclosure () -> String) -> Never {
    preconditionFailure("illegal event \(event()) in state \(state())")
}
