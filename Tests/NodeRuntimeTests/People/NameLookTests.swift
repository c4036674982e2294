import NodeRuntime
import Primitives
import Testing

@Suite("The look of a name")
struct NameLookTests {
    @Test(
        "names that look alike are one name",
        arguments: [
            "foh", "F0H", "F O H", "F-O-H.", "ＦＯＨ", "FÖH", "FОH", "\u{202E}FOH",
            "F\u{200B}OH", "F၀H", "F〇H", "f\u{966}h",
        ])
    func alike(name: String) { #expect(NameLook.of(SafeText(name)) == NameLook.of(SafeText("FOH"))) }

    @Test("letters of other scripts and pairs of letters count as what they resemble")
    func resembling() {
        for (name, other) in [("Camera", "Carnera"), ("Wings", "VVings"), ("Ilona", "l1ona"), ("Mark", "Маrk")] {
            #expect(NameLook.of(SafeText(name)) == NameLook.of(SafeText(other)), "\(name) \(other)")
        }
    }

    @Test(
        "a Greek or Cyrillic capital counts as the Latin capital that it resembles",
        arguments: [
            ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"), ("АВЕКМНОРСТУХЅІЈ", "ABEKMHOPCTYXSIJ"), ("ҮҺӀԚԜ", "YHIQW"),
            ("ΝΥΝ", "nyn"), ("ΡΧ", "px"), ("Ή", "H"), ("ЇЁ", "IE"),
            ("ΖΧΡΒ", "ζχρβ"), ("АВЕКМНОРСТУХЅІЈҮҺӀԚԜ", "авекмнорстухѕіјүһӏԛԝ"),
        ])
    func capitals(name: String, latin: String) {
        #expect(NameLook.of(SafeText(name)) == NameLook.of(SafeText(latin)))
    }

    @Test(
        "a letter of a rare script counts as the Latin letter that it resembles",
        arguments: [
            ("ꓮꓠꓠꓮ", "ANNA"), ("ꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟ", "BCDEFGHIJKLM"), ("ꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "OPRSTUVWXYZ"),
            ("ᎪᏏᏴᏟᎠᏧᎬᏀᏳᎻᏂᎥᎫᏦ", "ABBCDDEGGHHIJK"), ("ᏞᎷᏢᎡᏒᏕᏚᎢᏙᎳᏔᎩᎽᏃ", "LMPRRSSTVWWYYZ"), ("ꮯꮃꮓꮩꮪ", "cwzvs"),
            ("ⲤⲎⲒⲔⲘⲚⲞⲢⲦⲬⲨ", "CHIKMNOPTXY"), ("ⲥⲟⲣⲅ", "copr"), ("ՕՍՏ", "OUS"), ("ցհոզս", "ghnqu"),
            ("ᗅᗷᗞᖴᕼᒍᒪᗰᑭᖇᑌᐯᕁ", "ABDFHJLMPRUVX"), ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍ", "ABCDEFGHIJKLM"), ("ɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "NOPRSTUVWYZ"),
        ])
    func scripts(name: String, latin: String) {
        #expect(NameLook.of(SafeText(name)) == NameLook.of(SafeText(latin)))
    }

    @Test(
        "a letter with a stroke counts as the letter",
        arguments: [("Øre", "Ore"), ("øre", "ore"), ("Łuk", "Luk"), ("łuk", "luk"), ("Đon", "Don"), ("đon", "don")])
    func strokes(name: String, plain: String) {
        #expect(NameLook.of(SafeText(name)) == NameLook.of(SafeText(plain)))
    }

    @Test("names that people tell apart stay apart")
    func different() {
        for (name, other) in [
            ("Camera 1", "Camera 2"), ("LX", "SX"), ("Gate 4", "Gate 14"), ("🎭", "🎧"), ("Ана", "Ала"),
        ] {
            #expect(NameLook.of(SafeText(name)) != NameLook.of(SafeText(other)), "\(name) \(other)")
        }
    }

    @Test("a name without letters has its own look, and only the empty name has none")
    func withoutLetters() {
        #expect(NameLook.of(SafeText("🎭")) == "🎭")
        #expect(NameLook.of(SafeText("")).isEmpty)
    }

    @Test("a name of 10 kB is compared as it is shown: cut")
    func long() {
        #expect(NameLook.of(SafeText(String(repeating: "a", count: 10_000))) == String(repeating: "a", count: 24))
    }
}
