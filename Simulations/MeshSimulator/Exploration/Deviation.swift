import Primitives

/// One thing that an explored run does otherwise than the smooth one, at one message.
package enum Deviation: Int, CaseIterable, Sendable {
    case lose
    case duplicate
    /// Long enough for the next ones to overtake it.
    case delay
    /// Every connection of the pair is reset just before.
    case resetCarriers
    /// The receiver's process is killed just before, and starts again as its next instance.
    case restartReceiver
    case restartSender
    /// Everything of the sender's that can be sent again is.
    case replay

    /// Whether it makes a difference for this message.
    func applies(to happening: Happening) -> Bool {
        switch (self, happening) {
        case (.lose, .datagram), (.lose, .beacon), (.lose, .hint), (.duplicate, .datagram), (.duplicate, .hint),
            (.delay, .datagram), (.delay, .beacon), (.delay, .hint):
            true
        case (.lose, _), (.duplicate, _), (.delay, _): false
        default: true
        }
    }
}
