import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import type { Store } from './store.ts';

/** Marks a file as ours; the letters "chat". */
const APPLICATION_ID = 0x63_68_61_74;

/** To be raised when what is kept changes its shape. */
const FORMAT = 1;

/**
 * Keeps a service in an SQLite file, which is made when there is none. Each change is written before it is answered, so
 * that the end of the process, however sudden, loses nothing that was answered.
 *
 * @throws Error with a sentence when the file cannot be used.
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
        // V8's format carries dates, maps and bytes, and later versions read what earlier ones wrote.
        const kept: Value = deserialize(value);
        return [key, kept];
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
    // Closing twice is as good as once.
    close: () => {
      if (database.isOpen) database.close();
    },
  };
};

const open = (file: string): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    // One sandbox a file: two would each overwrite what the other knows.
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
    throw new Error(`The data file ${file} cannot be used (${reason}); give another one.`);
  }
};

const pragma = (database: DatabaseSync, name: string): unknown => database.prepare(`PRAGMA ${name}`).get()?.[name];
