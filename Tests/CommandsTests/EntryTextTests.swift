import Commands
import NodeRuntime
import Primitives
import Testing

@Suite("What partyline enter says at its end")
struct EntryTextTests {
    private static let outcomes: [EntryOutcome] = [
        .entered(mesh: "crew"), .entered(mesh: "crew", pairedAs: NodeID(words: (0x4F2A_91C0 << 32, 2, 3, 4))),
        .alreadyMember(mesh: "crew", hasCode: true), .alreadyMember(mesh: "crew", hasCode: false),
        .wrongCode(nodeCount: 1), .wrongCode(nodeCount: 3),
        .wrongPairingCode(nodeCount: 1), .wrongPairingCode(nodeCount: 5), .noPairingWindow(nodeCount: 1),
        .noPairingWindow(nodeCount: 4), .nobodyFound(openNodeCount: 0), .nobodyFound(openNodeCount: 2),
        .noAnswer(nodeCount: 1), .noAnswer(nodeCount: 3), .offLink(nodeCount: 1), .offLink(nodeCount: 2), .stopped,
        .stateFolderTaken("/homes/a/.local/state/x"),
        .cannotWrite("cannot create /x/mesh: Read-only file system"), .noMemory,
    ]

    private func lines(_ outcome: EntryOutcome, next: OptionEcho = OptionEcho()) -> [String] {
        EntryText(outcome, next: next, seconds: 30).lines
    }

    @Test("every outcome has its words, in 80 columns")
    func golden() throws {
        let second = OptionEcho(name: "second", stateDir: "/x y")
        let all = Self.outcomes.flatMap { lines($0) + ["--"] } + lines(.entered(mesh: "boat"), next: second)
        try Golden.check(all, "enter")
        for line in all { #expect(Columns.width(line) <= 80, "\(line)") }
    }

    @Test("the node is in after the secret was kept, or if it was in the mesh of this code, and not otherwise")
    func success() {
        #expect(
            Self.outcomes.map { EntryText($0, next: OptionEcho(), seconds: 30).isIn } == [true, true, true]
                + Array(repeating: false, count: 17))
    }

    @Test("without an answer the hint names a longer search than the last one", arguments: [(60, 120), (2_000, 3_600)])
    func longer(seconds: Int, next: Int) {
        let text = EntryText(.noAnswer(nodeCount: 1), next: OptionEcho(), seconds: seconds)
        #expect(text.lines.joined(separator: " ").contains("(--seconds \(next))"))
    }

    @Test("during the search a person is told how many nodes were found")
    func progress() {
        var progress = EntryProgress()
        func ending(_ words: String) -> Bool { EntryText.progress(progress, after: 10).hasSuffix("10 s now: " + words) }
        #expect(ending("no node of a closed mesh found yet"))
        progress.foundCount = 2
        #expect(ending("found 2 nodes of a closed mesh, no answer to this code yet"))
        progress.otherCodeCount = 1
        #expect(ending("found 2 nodes of a closed mesh, 1 with another code"))
        progress.foundCount = 1
        let wrong = "  wrong code? 1 node of a closed mesh has another; still looking, for 3 s now"
        #expect(EntryText.progress(progress, after: 3) == wrong)
    }

    @Test("a mesh cannot steer the terminal by its name")
    func escapes() {
        let text = lines(.entered(mesh: "a\u{1B}[2J\u{202E}b")).joined()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
    }
}
