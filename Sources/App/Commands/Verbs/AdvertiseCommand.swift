import ArgumentParser
import ControlPlane
import NodeRuntime

struct AdvertiseCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise", abstract: "Starts or ends the announcements of the node on the network.",
        discussion: """
            off: the node sends no beacon and publishes no Avahi service, until `on` or its next start. It still finds \
            others and links to them, and its neighbours tell others of it.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "on or off.")
    var state: MuteCommand.Switch

    var request: AdvertiseRequest { AdvertiseRequest(advertised: state == .on) }

    func confirmation(_ answer: DoneDocument) -> String {
        state == .on ? "the node is advertised" : "the node is not advertised"
    }
}
