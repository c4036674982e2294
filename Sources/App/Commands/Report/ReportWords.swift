/// Words of the program's own sentences. If a channel or a person has such a word as a name, the report replaces it
/// only where a name can stand. A word that is missing here is replaced everywhere: that hides no less, but garbles a
/// sentence.
enum ReportWords {
    /// Whether a sentence of the program may have `name` as a word of its own: it is one of the common words, a number
    /// such as a port, or shorter than most names.
    static func areShared(by name: String) -> Bool { name.count < 3 || isCommon(name) }

    /// Whether `name` is one of the common words, or a number such as a port. A longer number may be that of a
    /// telephone.
    static func isCommon(_ name: String) -> Bool {
        common.contains(name) || name.count <= 5 && name.allSatisfy { "0"..."9" ~= $0 }
    }

    /// Whether a name can stand at a place of a sentence. If it is not sure, it can.
    ///
    /// - Parameters:
    ///   - isOfPerson: whether it is the name of a node. Other names begin no sentence.
    ///   - isOfKey: whether it is the name of a talk key, which stands in quotes, in a list or a command.
    ///   - before: the sentence up to that place.
    ///   - after: the sentence behind the word there.
    static func mayNameStand(
        isOfPerson: Bool, isOfKey: Bool, between before: Substring, and after: Substring
    ) -> Bool {
        // An option of a command, such as `--peer`.
        if before.hasSuffix("--") { return false }
        // A compound word, such as `real-time`. The name of a sound device may be one with the name of a machine.
        if !isOfPerson, before.last == "-" || after.first == "-" { return false }
        if before.count(where: { $0 == "`" }) % 2 == 1 { return !before.hasSuffix("`partyline ") }
        // `the NAME known here`
        if isOfPerson, after.hasPrefix(" known") { return true }
        let start = before.dropLast()
        guard before.last == " " else {
            return before.isEmpty ? isOfPerson : !(before.last == "'" && (start.last?.isLetter ?? false))
        }
        let word = String(start.reversed().prefix { $0.isLetter || $0.isNumber }.reversed())
        guard !word.isEmpty else { return isOfPerson || !(start.last == ":" || start.last == ";") }
        if isOfKey { return word == "key" || word == "keys" }
        return !word.allSatisfy(\.isNumber) && (!common.contains(word) || introducing.contains(word))
    }

    /// Words that a name may follow.
    private static let introducing = words(
        """
        about accept and as at between beyond but by call called caller calls channel channels code create
        creator deny enter for forget from in join key keys leave left like listener listeners lost mesh name named
        names neighbour nick node nodes nor not of on or others part peer peers person refused role roles
        station talk than through to trust unblock until verify via with
        """)

    private static let common = words(
        """
        a about above accept address after again ahead all allowed alone aloud already among an and anew
        another answer answered answers any anybody anyone are around as aside ask asked asks at audio back
        battery be beacon because been before began begins behind being belongs below beside between beyond
        block blocked both bound brackets bring broke broken buffer build built bus but by bye cable call
        called caller calls came can cannot capture card cards carrier carries change changed changes
        channel channels character characters checked choose chooses clicks clock close closed closes code
        codes coding colour come comes command commands compare complete configuration confirmed connect
        connection connections control copies copy correct corrected cough could count counted counter
        counts create created creator crew cut daemon damaged database day dead decibels decided declined
        declines default degraded delay deleted denied denoise deny device devices did digits direct
        directly directory discard discover discovery disk disturb do doctor document does done down drawn each ear
        earlier echo effect else empty encoder end ended ending ends enough enter enters entry epoch equal
        error event every everybody exclude expect expected failed failures false feedback fewer file files
        find finds firewall firewalls first folder for forget forgets format found four frame frames free
        freeze from full generate gets give given gives go goes gone good grant group guest had hardware has have
        health hear heard hears held here hidden higher hold holds host how identity if in init input
        install instance interface into introduces invisible is it its itself jitter join joined keep keeps
        kept key keys kinds know known knows lacks last lately later latest leads leave leaves left less let
        lets letter letters level lights like limit line link linked list listen listener listeners listens
        lists little load local log long longer look looks loop loses loss lost machine made main make makes
        many map may mean memory mend mesh met microphone milliseconds minutes missed missing mistake mode
        monitor more most multicast must name named names need needs neighbour neither network networks new
        newer next nick no nobody node nodes none nor not nothing now number object of off often old on once
        one ones only open opened options or other others out output over own owner packets pair pairing
        pairs parameter parameters part partyline pass path peer peers per perhaps period permits permitted
        person persons pitch place plain playback plug port ports possible present prevents priority private
        privately process processing program programme proved published queued quoted radio raise ran reach
        reached reaches read real reason record recording records refused refuses relay releases reload
        remedies remembered remote remove removed renamed replace replaced replay reply reported request
        requests reset rest restart restored retrying reverb right role roles room round rounded run running
        runs said same sample samples say says scale second seconds secret see seen sees server set setting
        settings short
        shorter should show shown shows silence silent since single so socket somebody something soon sound
        spaces speak speaker speaks speech split stage stands start started starts state station status
        stays steady stereo still stood stop stopped stops sudo system systemctl table tables take taken
        takes talk talks target targets tells terminal text than that the their them then there this those
        threads threshold thresholds through time to told tone too tried troubles true trust trusted try
        twice two typed unblock under understood unknown until up us use used user uses value verify version
        via voice volume wait waits wake was way we were when where whether which while whole whose why
        window with within without word words work working works would writable write written wrong yes yet
        you your zero
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }
}
