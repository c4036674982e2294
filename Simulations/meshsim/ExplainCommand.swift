import ArgumentParser
import MeshSimulator
import Primitives

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why two nodes are, or are not, linked at an instant of a run.",
        discussion: """
            For example: meshsim explain --seed 7 --at 20s n0 n3
                         meshsim explain --scenario half-open --at 30s ada ben
            """)

    @OptionGroup var subject: RecordedRun

    @Option(help: ArgumentHelp("The instant, from the beginning of the run.", valueName: "time"))
    var at: String

    @Argument(help: "Two nodes, by name or number.")
    var pair: [String]

    @Flag(help: "Print one JSON document (schema partyline.sim.explain/1).")
    var json = false

    func validate() throws {
        if TimeText.interval(at) == nil { throw ValidationError("--at \(at): expected a time such as 12.5s") }
        if !subject.isGiven { throw ValidationError("give one of --seed, --run and --scenario") }
        if pair.count != 2 { throw ValidationError("name two nodes") }
    }

    func run() throws {
        let names = try subject.names()
        let numbers = try pair.map { word in
            guard
                let number = names.firstIndex(of: word) ?? Int(word).flatMap({ names.indices.contains($0) ? $0 : nil })
            else { throw ValidationError("no node is called \(word); there are \(names.joined(separator: " "))") }
            return number
        }
        guard numbers[0] != numbers[1] else { throw ValidationError("name two different nodes") }
        let instant = Instant.zero + (TimeText.interval(at) ?? .zero)
        let record = RunRecord(
            question: RunRecord.Question(at: instant, observer: numbers[0], peer: numbers[1]))
        try subject.play(into: record)
        guard let explanation = PairExplanation(record) else {
            preconditionFailure("a run that was asked has an answer when it ends")
        }
        let about = subject.subject
        print(
            json ? explanation.json(subject: about).line : ExplainText(explanation: explanation, subject: about).text)
    }
}
