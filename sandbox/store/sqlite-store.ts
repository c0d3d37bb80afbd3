import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import type { Store } from './store.ts';

/** Identifies a data file of the sandbox; the letters "chat". */
const APPLICATION_ID = 0x63_68_61_74;

/** Raise this when the shape of the stored data changes. */
const FORMAT = 1;

/**
 * Opens or creates an SQLite file that persists a service. Each change is written before the call is answered, so that
 * a crash loses nothing that was answered.
 *
 * @throws Error with a sentence for the user if the file cannot be used
 */
export const openSqliteStore = (file: string): Store => {
  const database = open(file);
  const select = database.prepare('SELECT key, value FROM entry WHERE collection = ? ORDER BY id');
  const upsert = database.prepare(
    'INSERT INTO entry (collection, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const remove = database.prepare('DELETE FROM entry WHERE collection = ? AND key = ?');
  const removeAll = database.prepare('DELETE FROM entry WHERE collection = ?');
  return {
    load: <Value>(collection: string) =>
      select.all(collection).map(({ key, value }): [string, Value] => {
        if (typeof key !== 'string' || !(value instanceof Uint8Array)) throw new Error(`The file ${file} is damaged.`);
        // V8's format supports dates, maps and bytes, and later versions read what earlier ones wrote.
        const stored: Value = deserialize(value);
        return [key, stored];
      }),
    put: (collection, key, value) => void upsert.run(collection, key, serialize(value)),
    delete: (collection, key) => void remove.run(collection, key),
    clear: (collection) => void removeAll.run(collection),
    transaction: (work) => {
      database.exec('BEGIN');
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    // Closing twice is allowed.
    close: () => {
      if (database.isOpen) database.close();
    },
  };
};

const open = (file: string): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    restrictToOwner(file);
    database = new DatabaseSync(file);
    // One sandbox per file: two would overwrite each other's data.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const isNew = pragma(database, 'schema_version') === 0;
    if (isNew) {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT};
        CREATE TABLE entry (
          id INTEGER PRIMARY KEY, collection TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
          UNIQUE (collection, key)
        ) STRICT`);
    }
    if (pragma(database, 'application_id') !== APPLICATION_ID || pragma(database, 'user_version') !== FORMAT) {
      throw new Error('it is not a data file of this version of the sandbox');
    }
    return database;
  } catch (error) {
    database?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The data file ${file} cannot be used (${reason}); choose another file.`);
  }
};

/**
 * Lets only the file's owner read it: it holds conversations and access tokens. SQLite gives new files beside it the same
 * permissions. Source: https://www.sqlite.org/fileformat2.html
 */
const restrictToOwner = (file: string): void => {
  closeSync(openSync(file, 'a', 0o600));
  for (const one of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(one)) chmodSync(one, 0o600);
};

const pragma = (database: DatabaseSync, name: string): unknown => database.prepare(`PRAGMA ${name}`).get()?.[name];
