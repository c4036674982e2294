import ArgumentParser
import ControlPlane
package import NodeRuntime

struct DiscoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "Lists nodes that were found and are not linked, and other meshes.",
        discussion: "Linked nodes are in `partyline peers`. Nodes of other meshes never link; --mesh sets the name.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.discover/1.")
    var json = false

    func run() throws {
        let document = try node.ask(DiscoverRequest())
        if json { try Output.document(document) } else { try Output.lines(DiscoverText(document).lines) }
    }
}

/// `partyline discover` for people, in 80 columns.
package struct DiscoverText {
    private let document: DiscoverDocument

    package init(_ document: DiscoverDocument) { self.document = document }

    /// The lines, without line feeds.
    package var lines: [String] {
        let none = document.linked == 0 ? "no other node was found" : "every node that was found is linked"
        let nodes = document.nodes.isEmpty ? [none] : heading + document.nodes.flatMap(row)
        let hidden =
            document.advertised
            ? [] : ["not advertised: `partyline advertise on`, but not with `--discovery none`"]
        let leftBehind = document.leftBehind ? Columns.sentence(MeshAccess.leftBehind, label: "") : []
        return nodes + leftBehind + silent + meshes + hidden
    }

    private var silent: [String] {
        let rows = (document.silent ?? []).flatMap { peer in
            Columns.sentence(Output.safe("\(peer.address): \(peer.text)"), label: "  ")
        }
        return rows.isEmpty ? [] : ["", "given by --peer, and without an answer"] + rows
    }

    private var heading: [String] { [columns("NAME", "ID", "WHY") + "MORE"] }

    private func row(_ node: DiscoverDocument.Node) -> [String] {
        let retry = node.retryInS.map { "; next try in \(Figures.age($0))" } ?? ""
        let name = node.name.isEmpty ? "-" : Output.safe(node.name)
        return Columns.sentence(
            Output.safe(node.text) + retry, label: columns(name, Output.safe(node.shortId), node.why.rawValue))
    }

    private func columns(_ name: String, _ id: String, _ why: String) -> String {
        "\(Columns.left(name, 16)) \(Columns.left(id, 9)) \(Columns.left(why, 11)) "
    }

    private var meshes: [String] {
        guard !document.meshes.isEmpty else { return [] }
        return ["", "other meshes on this network"]
            + document.meshes.flatMap { mesh -> [String] in
                let seen = "by \(Output.list(mesh.signs)) \(Figures.age(mesh.seenS)) ago"
                let name = mesh.name.map { Output.safe($0) } ?? "(closed)"
                return Columns.wrapped(
                    [seen] + mesh.addresses.map(Output.safe), label: Columns.left("  " + name, 20))
            } + (document.meshes.contains { $0.name == nil } ? ["  " + MeshAccess.closedMeshIsHere] : [])
    }
}

struct AdvertiseCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise", abstract: "Starts or ends the announcements of the node on the network.",
        discussion: """
            off: the node sends no beacon and publishes no Avahi service, until `on` or its next start, and neither \
            does the node that feeds its programme. It still finds others and links to them, and its neighbours tell \
            others of it.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "on or off.")
    var state: OnOff

    var request: AdvertiseRequest { AdvertiseRequest(advertised: state == .on) }

    func confirmation(_ answer: DoneDocument) -> String {
        state == .on ? "the node is advertised" : "the node is not advertised"
    }
}
