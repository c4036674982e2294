import Primitives

/// One difference of an explored run from the smooth run, at one message.
package enum Deviation: Int, CaseIterable, Sendable {
    case lose
    case duplicate
    /// The message is late enough for the next ones to overtake it.
    case delay
    /// Every connection between the two nodes is reset just before the message.
    case resetCarriers
    /// The receiver's process is killed just before the message, and starts again as its next instance.
    case restartReceiver
    case restartSender
    /// The sender's last datagram, INVITE and ACCEPT arrive again just before the message.
    case replay

    /// Whether the deviation makes a difference for this message.
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
