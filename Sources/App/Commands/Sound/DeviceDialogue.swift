package import NodeRuntime

/// The questions of `partyline init` and `devices --choose` about sound devices: which ones, and how a person sounds
/// on them.
///
///     choose ──▶ test, or not ──yes──▶ speak, verdict, hear it ──▶ keep? ──yes──▶ chosen
///       ▲                                        ▲                  │ │
///       │                                        └──────again───────┘ │
///       └───────────────────────────other─────────────────────────────┘
package struct DeviceDialogue {
    private let setup: SoundSetup
    private let options: RunOptions
    private let present: DeviceWords

    /// - Parameters:
    ///   - options: those of the command. A device that they name is not asked for.
    ///   - present: the devices that the node would use now.
    package init(_ setup: SoundSetup, _ options: RunOptions, present: DeviceWords) {
        (self.setup, self.options, self.present) = (setup, options, present)
    }

    /// Whether there is something to ask.
    var isOpen: Bool { !options.isInputNamed || !options.isOutputNamed }

    /// Asks for devices that are not named, until the person keeps them.
    /// - Returns: those that were asked for.
    /// - Throws: `CommandEnd` at the end of the input.
    package func wish(_ conversation: Conversation) throws -> DeviceWords {
        var devices = present
        while true {
            devices = try chosen(from: devices, conversation)
            if try isKept(devices, conversation) { break }
        }
        return DeviceWords(
            input: options.isInputNamed ? nil : devices.input, output: options.isOutputNamed ? nil : devices.output)
    }

    /// Asks, and keeps the answers for the next starts of a stopped node. Returns the text for a person.
    /// - Throws: `CommandEnd` at the end of the input; `StoppedNodeError` if the answers are not kept.
    package func keep(in stopped: StoppedNode, _ conversation: Conversation) throws -> [String] {
        let wish = try wish(conversation)
        try stopped.keep(wish)
        return [("input", wish.input ?? present.input), ("output", wish.output ?? present.output)].map { side, device in
            "\(side) is \(Output.safe(device ?? "")) from the next start on"
        }
    }

    private func chosen(from standard: DeviceWords, _ conversation: Conversation) throws -> DeviceWords {
        let offered = setup.offered()
        var devices = standard
        repeat {
            if !options.isInputNamed {
                devices.input = try device(
                    "Input", offered.inputs, standard.input ?? "", isOutput: false, conversation)
            }
            if !options.isOutputNamed {
                devices.output = try device(
                    "Output", offered.outputs, standard.output ?? "", isOutput: true, conversation)
            }
            guard let refusal = devices.refusal(by: options) else { return devices }
            say(refusal, conversation)
        } while true
    }

    private func device(
        _ title: String, _ offered: [DevicesDocument.Device], _ standard: String, isOutput: Bool,
        _ conversation: Conversation
    ) throws -> String {
        conversation.ask("\(title)s:\n")
        for (index, device) in offered.enumerated() {
            let row = "\(Columns.right("\(index + 1)", 4))  \(Output.safe(device.name))  \(Output.safe(device.text))"
            conversation.ask(Columns.fit(row, Columns.lineMax) + "\n")
        }
        if offered.isEmpty { say("none found; `partyline doctor` says why", conversation) }
        return try conversation.answer(to: "\(title), by number or name", standard: standard) { text in
            guard let number = Int(text) else {
                let whole = Surroundings.absolute(device: text)
                let device = try isOutput ? DeviceWords.output(whole) : DeviceWords.input(whole)
                if let fault = DeviceWords.fileFault(of: device, isOutput: isOutput) { throw AnswerFault(fault) }
                return device
            }
            guard offered.indices.contains(number - 1) else {
                throw AnswerFault("there is no number \(number) in the list")
            }
            return offered[number - 1].name
        }
    }

    /// Offers tests, until the person keeps the devices or wants others.
    private func isKept(_ devices: DeviceWords, _ conversation: Conversation) throws -> Bool {
        let isTested = try conversation.word(
            of: ["yes", "no"], to: "Say something for \(setup.seconds) s, and hear it? yes or no")
        guard isTested == "yes" else { return true }
        while true {
            test(devices, conversation)
            // A key that was pressed while sound moved is no answer.
            conversation.forgetTyped()
            switch try conversation.word(of: ["yes", "again", "other"], to: "Keep these devices? yes, again or other") {
            case "yes": return true
            case "other": return false
            default: continue
            }
        }
    }

    private func test(_ devices: DeviceWords, _ conversation: Conversation) {
        let (input, output) = (devices.input ?? "", devices.output ?? "")
        do {
            let take = try recorded(from: input, conversation)
            say(take.finding, conversation)
            guard !take.isSilent else { return }
            conversation.ask("  That was you:\n")
            if try !setup.play(take, output) { say("\(output) makes no sound, so nothing is played", conversation) }
        } catch {
            say("no sound: \(error)", conversation)
            say("a node starts without it, and uses it once it is there; `partyline doctor` helps", conversation)
        }
    }

    private func recorded(from input: String, _ conversation: Conversation) throws -> SpokenTake {
        // The person is asked to speak only once the device gives sound.
        var isOpen = false
        defer { if isOpen { conversation.ask("\n") } }
        return try setup.record(input) { level in
            if !isOpen { conversation.ask("  Speak now:\n") }
            isOpen = true
            conversation.ask("\r  [\(LevelMeter.text(level))]")
        }
    }

    private func say(_ text: String, _ conversation: Conversation) {
        conversation.ask(Columns.sentence(Output.safe(text), label: "  ").joined(separator: "\n") + "\n")
    }
}
