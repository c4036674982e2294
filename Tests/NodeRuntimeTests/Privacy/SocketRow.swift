import Foundation
import Primitives
import Testing

/// A row of the table "Sockets" in docs/PRIVACY.md: the sockets of one purpose.
struct SocketRow: Hashable {
    let kind: String
    let own: String
    let other: String

    /// All rows, in the order of the page.
    static func all() throws -> [SocketRow] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/PRIVACY.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let head = try #require(lines.firstIndex { $0.hasPrefix("| socket |") })
        return lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
            }
            return SocketRow(kind: cells[0], own: cells[1], other: cells[2])
        }
    }

    /// Whether two nodes on one machine need not open it: there may be no system bus and no sound server, and a tunnel
    /// needs a third node.
    var isOptional: Bool { other.hasPrefix("/") || other == "this process" }

    /// Whether the row is about this socket.
    /// - Parameters:
    ///   - ports: those of the nodes of this process.
    ///   - controls: the paths of their control sockets.
    func covers(_ socket: OpenSocket, ports: Set<UInt16>, controls: Set<String>) -> Bool {
        func isMet(_ cell: String, by end: OpenSocket.End) -> Bool {
            switch (cell, end) {
            case ("any", .network): true
            case ("node port", .network(_, let port)): ports.contains(port)
            case ("control socket", .path(let path)): controls.contains(path)
            case ("the kernel", .kernel), ("this process", .unnamed(isOurs: true)): true
            case ("–", .none), ("–", .unnamed): true
            case (_, .network(let address, let port)): cell == "\(address) port \(port)"
            case (_, .path(let path)):
                cell.hasSuffix("/") ? path.hasPrefix(cell.replacing("UID", with: "\(geteuid())")) : cell == path
            default: false
            }
        }
        return kind == socket.kind && isMet(own, by: socket.own) && isMet(other, by: socket.other)
    }
}
