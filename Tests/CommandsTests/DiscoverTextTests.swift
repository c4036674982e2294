import Commands
import NodeRuntime
import Testing

@Suite("Found nodes as text")
struct DiscoverTextTests {
    private static let document = DiscoverDocument(
        json: #"""
            {
              "schema": "partyline.discover/1", "advertised": false, "left_behind": false, "linked": 2,
              "nodes": [
                {
                  "name": "OPS", "id": "ID", "short_id": "0a77-ffff", "why": "quarantined", "failures": 5,
                  "text": "left alone after 5 failures: nothing listens at its address",
                  "addresses": ["192.0.2.7:7400"], "retry_in_s": 12.4
                },
                {
                  "name": "", "id": "ID2", "short_id": "91c3-0b11", "why": "connecting", "failures": 0,
                  "text": "a link is being made", "addresses": []
                }
              ],
              "meshes": [{"name": "theatre", "addresses": ["192.0.2.9"], "signs": ["avahi", "beacon"], "seen_s": 4.2}]
            }
            """#)

    @Test("the list reads like this")
    func golden() {
        let expected = """
            NAME             ID        WHY         MORE
            OPS              0a77-ffff quarantined left alone after 5 failures: nothing
                                                   listens at its address; next try in 12s
            -                91c3-0b11 connecting  a link is being made

            other meshes on this network
              theatre           by avahi, beacon 4s ago  192.0.2.9
            not advertised: `partyline advertise on`, but not with `--discovery none`
            """
        #expect(DiscoverText(Self.document).lines.joined(separator: "\n") == expected)
    }

    @Test("where nothing is missing it says so in one line")
    func nothing() {
        var document = Self.document
        (document.nodes, document.meshes, document.advertised) = ([], [], true)
        #expect(DiscoverText(document).lines == ["every node that was found is linked"])
        document.linked = 0
        #expect(DiscoverText(document).lines == ["no other node was found"])
    }

    @Test("a node that a change of the code has left behind is told the way back")
    func leftBehind() {
        var document = Self.document
        (document.nodes, document.meshes, document.advertised, document.leftBehind) = ([], [], true, true)
        #expect(
            DiscoverText(document).lines == [
                "every node that was found is linked",
                "the code of the mesh was changed, and this node was left behind; with the new",
                "code: `partyline enter --replace`",
            ])
    }

    @Test("an address that was given and does not answer stands in a line of its own, with the reason")
    func silent() {
        var document = Self.document
        (document.nodes, document.meshes, document.advertised) = ([], [], true)
        document.silent = [
            DiscoverDocument.SilentPeer(address: "192.0.2.7:7499", text: "nothing listens at its address")
        ]
        #expect(
            DiscoverText(document).lines == [
                "every node that was found is linked", "", "given by --peer, and without an answer",
                "  192.0.2.7:7499: nothing listens at its address",
            ])
    }

    @Test("a closed mesh has no name for strangers, and the way into it stands below")
    func closed() {
        var document = Self.document
        (document.nodes, document.advertised, document.meshes[0].name) = ([], true, nil)
        #expect(
            DiscoverText(document).lines.suffix(3) == [
                "other meshes on this network", "  (closed)          by avahi, beacon 4s ago  192.0.2.9",
                "  a closed mesh is on this network; with its code: `partyline enter`",
            ])
    }

    @Test("strangers' words neither steer the terminal nor widen a line")
    func hostile() {
        var document = Self.document
        let hostile = "a\u{1B}[2J\u{202E}漢字" + String(repeating: "wide ", count: 40)
        document.nodes[0].name = hostile
        document.nodes[0].text = hostile
        document.meshes[0].name = hostile
        document.meshes[0].addresses = [hostile]
        for line in DiscoverText(document).lines {
            #expect(Columns.width(line) <= 80 && !line.contains("\u{1B}") && !line.contains("\u{202E}"), "\(line)")
        }
    }
}
