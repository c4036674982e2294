import Commands
import NodeRuntime
import Testing

@Suite("Known keys as a table")
struct KnownKeysTableTests {
    private func lines(_ json: String) -> [String] { KnownKeysTable(KnownKeysDocument(json: json)).lines }

    @Test("a row for each key, with the person's decision and the time of its last link")
    func rows() {
        let lines = lines(
            #"""
            {"schema": "partyline.known/1", "kept": true, "dropped": 0, "keys": [
              {"name": "FOH", "id": "A", "short_id": "4f2a-91c0", "trust": "verified", "blocked": false,
               "here": true, "named_unix_s": 0, "first_seen_unix_s": 0, "last_seen_unix_s": 86400},
              {"name": "", "id": "B", "short_id": "91c3-0b11", "trust": "trusted", "blocked": false,
               "here": false, "named_unix_s": 0, "first_seen_unix_s": 86400, "last_seen_unix_s": 172800},
              {"name": "LX", "id": "C", "short_id": "0b11-4f2a", "trust": "trusted", "blocked": true,
               "here": false, "named_unix_s": 0, "first_seen_unix_s": 86400, "last_seen_unix_s": 172800},
              {"name": "F0H", "id": "D", "short_id": "0b11-5f2a", "trust": "met", "blocked": false, "other_key": "A",
               "here": false, "named_unix_s": 9, "first_seen_unix_s": 86400, "last_seen_unix_s": 172800}
            ]}
            """#)
        #expect(
            lines == [
                "NAME                     ID        TRUST     FIRST      LAST",
                "FOH                      4f2a-91c0 verified  1970-01-01 here",
                "-                        91c3-0b11 trusted   1970-01-02 1970-01-03",
                "LX                       0b11-4f2a blocked   1970-01-02 1970-01-03",
                "?F0H                     0b11-5f2a met       1970-01-02 1970-01-03",
            ])
    }

    @Test("an empty list, a guest and a full memory are told")
    func notes() {
        #expect(
            lines(#"{"schema": "partyline.known/1", "kept": false, "dropped": 3, "keys": []}"#) == [
                "no keys known yet", "this node can store nothing: the keys are forgotten when it ends",
                "3 keys not kept: there is no room",
            ])
    }
}
