import GRDB

/// The tables, as a list of migrations. A migration that was released is never edited; a change is a new migration.
enum StateSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 peers, preferences, settings") { database in
            try database.execute(
                sql: """
                    CREATE TABLE peer (
                        node BLOB PRIMARY KEY CHECK (length(node) = 32),
                        name TEXT NOT NULL,
                        endpoints TEXT NOT NULL,
                        last_seen_unix_s INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE preference (
                        node BLOB PRIMARY KEY CHECK (length(node) = 32),
                        gain_db REAL NOT NULL,
                        muted INTEGER NOT NULL CHECK (muted IN (0, 1)),
                        blocked INTEGER NOT NULL CHECK (blocked IN (0, 1)),
                        change INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE setting (
                        name TEXT PRIMARY KEY,
                        value TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2 place and priority") { database in
            try database.execute(
                sql: """
                    ALTER TABLE preference ADD COLUMN pan INTEGER CHECK (pan BETWEEN -100 AND 100);
                    ALTER TABLE preference ADD COLUMN priority INTEGER NOT NULL DEFAULT 0 CHECK (priority IN (0, 1));
                    """)
        }
        migrator.registerMigration("3 channel directory") { database in
            try database.execute(
                sql: """
                    CREATE TABLE channel (
                        id BLOB PRIMARY KEY CHECK (length(id) = 16),
                        entry BLOB NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE hidden_channel (
                        id BLOB PRIMARY KEY CHECK (length(id) = 16)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("4 joined channels") { database in
            try database.execute(
                sql: """
                    CREATE TABLE joined_channel (
                        place INTEGER PRIMARY KEY,
                        name TEXT NOT NULL,
                        level_tenths INTEGER NOT NULL,
                        ear INTEGER NOT NULL,
                        listens INTEGER NOT NULL CHECK (listens IN (0, 1)),
                        talks INTEGER NOT NULL CHECK (talks IN (0, 1)),
                        chosen INTEGER NOT NULL CHECK (chosen IN (0, 1))
                    ) STRICT;
                    DELETE FROM setting WHERE name = 'channel';
                    """)
        }
        migrator.registerMigration("5 programme") { database in
            try database.execute(sql: "ALTER TABLE joined_channel ADD COLUMN programme_dim_tenths INTEGER;")
        }
        migrator.registerMigration("6 known keys") { database in
            try database.execute(
                sql: """
                    CREATE TABLE known_key (
                        node BLOB PRIMARY KEY CHECK (length(node) = 32),
                        name TEXT NOT NULL,
                        named_unix_s INTEGER NOT NULL,
                        first_seen_unix_s INTEGER NOT NULL,
                        last_seen_unix_s INTEGER NOT NULL,
                        trust INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 3)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("7 channel codes") { database in
            try database.execute(
                sql: """
                    CREATE TABLE channel_code (
                        id BLOB PRIMARY KEY CHECK (length(id) = 16),
                        name TEXT NOT NULL,
                        code_key BLOB NOT NULL CHECK (length(code_key) = 32)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("8 order of channel codes") { database in
            try database.execute(sql: "ALTER TABLE channel_code ADD COLUMN number INTEGER NOT NULL DEFAULT 0;")
        }
        migrator.registerMigration("9 hidden channels with a code") { database in
            try database.execute(
                sql: """
                    ALTER TABLE hidden_channel
                        ADD COLUMN has_code INTEGER NOT NULL DEFAULT 0 CHECK (has_code IN (0, 1));
                    UPDATE hidden_channel SET has_code = 1 WHERE id IN (SELECT id FROM channel_code);
                    """)
        }
        migrator.registerMigration("10 own names of known keys") { database in
            try database.execute(
                sql: """
                    ALTER TABLE known_key ADD COLUMN own_name TEXT NOT NULL DEFAULT '';
                    UPDATE known_key SET own_name = name WHERE named_unix_s = 0 AND trust IN (1, 2);
                    """)
        }
        return migrator
    }
}
