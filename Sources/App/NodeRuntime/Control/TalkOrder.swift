/// An order for the talk key.
package enum TalkOrder: Hashable, Sendable {
    case on
    case off
    case toggle
    /// Presses the key now. It is released after `seconds` unless the order is repeated. A terminal without key-up
    /// events holds the key in this way. After the `press` of a smart key it bounds that press.
    case hold(seconds: Double)
    /// The key was pressed. The effect depends on the mode of the key.
    case press
    /// The key was released. The effect depends on the mode of the key.
    case release
    /// The key was pressed and released at once. A keyboard that reports no releases sends it.
    case tap
    /// Switches the microphone off for `seconds`, or until `uncough` if nil.
    case cough(seconds: Double?)
    case uncough
}
