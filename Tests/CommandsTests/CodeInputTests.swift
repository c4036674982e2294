import Commands
import Foundation
import Glibc
import NodeRuntime
import TestKit
import Testing

@Suite("How a code is given")
struct CodeInputTests {
    private func code(_ person: ScriptedPerson, file: String? = nil) throws -> String {
        guard case .mesh(let code) = try CodeInput.read(file: file, person.conversation) else { return "pairing" }
        return code.typed
    }

    @Test("a person types it unseen, and is asked again if nothing of it counts")
    func person() throws {
        let person = ScriptedPerson(["", " - ", "kite oven lamp zero"])
        #expect(try code(person) == "kite oven lamp zero")
        #expect(person.shown.contains("Code of the mesh (it is not shown): ") && !person.shown.contains("kite"))
        #expect(throws: (any Error).self, "three times nothing") { try code(ScriptedPerson(["", "", "", "kite"])) }
        #expect(throws: (any Error).self, "the end of the input") { try code(ScriptedPerson([])) }
    }

    @Test("six digits are a pairing code, with spaces or marks between them; another number is none of the two")
    func pairing() throws {
        for text in ["493027", "493 027", " 4-9-3 0.27 "] { #expect(try code(ScriptedPerson([text])) == "pairing") }
        #expect(try code(ScriptedPerson(["49302", "4930277", "493027"])) == "pairing")
        #expect(try code(ScriptedPerson(["493027a"])) == "493027a", "words of a mesh may hold digits")
        #expect(try code(ScriptedPerson(["49381607259428305"])) == "49381607259428305")
        #expect(throws: (any Error).self) { try code(ScriptedPerson(["12345"], isPerson: false)) }
    }

    @Test("a file that is used again and again holds no pairing code")
    func pairingFile() throws {
        #expect(throws: CodeFault.pairing) { try TypedCode.ofMesh("493 027") }
        #expect(try TypedCode.ofMesh("kite oven lamp zero").typed == "kite oven lamp zero")
    }

    @Test("a program writes it as one line, and is asked nothing")
    func program() throws {
        let program = ScriptedPerson(["kite oven lamp zero", "more"], isPerson: false)
        #expect(try code(program) == "kite oven lamp zero" && program.shown.isEmpty && program.linesLeft == 1)
        #expect(throws: (any Error).self) { try code(ScriptedPerson(["", "kite"], isPerson: false)) }
    }

    @Test("a person types a code of their own twice, unseen; a weak one is asked for again")
    func chosen() throws {
        let person = ScriptedPerson(["1234", "kite oven lamp zero", "KITE, oven lamp zero"])
        #expect(try CodeInput.choose(file: nil, person.conversation).typed == "kite oven lamp zero")
        #expect(person.shown.contains("too easy to guess") && !person.shown.contains("kite"))
        let other = ScriptedPerson(["kite oven lamp zero", "kite oven lamp river"])
        #expect(throws: (any Error).self) { try CodeInput.choose(file: nil, other.conversation) }
        let program = ScriptedPerson(["kite oven lamp zero", "more"], isPerson: false)
        #expect(try CodeInput.choose(file: nil, program.conversation).typed == "kite oven lamp zero")
        #expect(program.shown.isEmpty && program.linesLeft == 1)
        #expect(throws: (any Error).self) {
            try CodeInput.choose(file: nil, ScriptedPerson(["1234"], isPerson: false).conversation)
        }
    }

    @Test("a joiner is told which drawn word was perhaps meant; a weak code of their own is weak")
    func mistyped() throws {
        for (typed, fault) in [
            ("flank quote toss quik", CodeFault.mistyped(word: "quik", near: "quick")),
            ("flank qoute toss", .mistyped(word: "qoute", near: "quote")), ("1234", .weak(bits: 3)),
            ("flank quote toss", .weak(bits: 33)),
        ] {
            #expect(throws: fault) { try TypedCode.joining(typed) }
        }
        let person = ScriptedPerson(["flank quote toss quik", "flank quote toss quick"])
        let code = try CodeInput.read(ofChannel: "code:fly", file: nil, person.conversation)
        #expect(code.typed == "flank quote toss quick")
        #expect(person.shown.contains("'quik' is no code word, did you mean 'quick'?"))
        #expect(!person.shown.contains("too easy"))
    }

    @Test("a person who joins a channel again may type another code; an empty line keeps the present one")
    func again() throws {
        let person = ScriptedPerson(["kite oven lamp zero", "", "1234"])
        let code = try CodeInput.readAgain(ofChannel: "code:fly", person.conversation)
        #expect(code?.typed == "kite oven lamp zero" && person.shown.contains("an empty line keeps yours"))
        #expect(try CodeInput.readAgain(ofChannel: "code:fly", person.conversation) == nil)
        #expect(throws: (any Error).self) { try CodeInput.readAgain(ofChannel: "code:fly", person.conversation) }
        let program = ScriptedPerson([], isPerson: false)
        #expect(try CodeInput.readAgain(ofChannel: "code:fly", program.conversation) == nil && program.shown.isEmpty)
    }

    @Test("a file has it as its only line")
    func file() throws {
        let path = "\(temporaryFolder)/partyline-code-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func read(_ text: String) throws -> String {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return try code(ScriptedPerson([]), file: path)
        }
        #expect(TypedCode.warning(ofFile: path + "-none") == nil)
        #expect(try read("\n  kite oven lamp zero\r\n\n") == "  kite oven lamp zero")
        #expect(throws: ConfigurationError.self) { try read("kite oven\nlamp zero\n") }
        #expect(throws: ConfigurationError.self) { try read("") }
        for (mode, isOpen) in [(0o600, false), (0o640, false), (0o644, true), (0o602, true)] as [(mode_t, Bool)] {
            #expect(chmod(path, mode) == 0)
            #expect((TypedCode.warning(ofFile: path)?.contains("chmod 600") ?? false) == isOpen)
        }
        #expect(throws: ConfigurationError.self, "weak") { try TypedCode.read(file: path, TypedCode.chosen) }
        #expect(throws: ConfigurationError.self) { try code(ScriptedPerson([]), file: path + "-none") }
    }
}
