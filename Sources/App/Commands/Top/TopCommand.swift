import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Shows the node live: channels, peers, levels, events, and keys to talk.",
        discussion: """
            Space works the first talk key, 1 to 8 work each of them, c switches the microphone off while it is held, \
            Ctrl-L draws the screen anew, q leaves it; the node goes on. \
            A terminal that reports when a key is let go works the talk key as a hand does; in any other \
            terminal a key that is held repeats, and talks until shortly after the last repeat. \
            --plain suits screen readers and pipes: a sentence for each change, and no cursor movement.
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints a line for each change, without a screen; so it does where there is no terminal.")
    var plain = false

    func run() throws {
        let source = try TopSource(try node.connect())
        var console = TopConsole(source)
        do {
            if plain || !ScreenWriter.isPossible {
                try console.printChanges()
            } else {
                try console.showScreen(paint: .ofTerminal)
            }
        } catch ControlClientError.closed {
            throw CommandEnd.nodeEnded
        }
    }
}
