import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The rooms of the house, the first that fits counts, and which others each may import. */
const ROOMS: readonly (readonly [room: string, files: RegExp, mayImport: readonly string[]])[] = [
  ['domain', /^lambdas\/domain\//, ['domain']],
  ['ports', /^lambdas\/ports\.ts$/, ['domain']],
  ['shared', /^lambdas\/[^/]+\.ts$/, ['domain', 'ports', 'shared']],
  ['aws', /^lambdas\/aws\//, ['domain', 'ports', 'aws']],
  ['chat-service', /^lambdas\/chat-service\//, ['domain', 'ports', 'chat-service']],
  ['receive entry', /^lambdas\/receive\/entry\.ts$/, ['domain', 'ports', 'shared', 'receive', 'aws']],
  ['send entry', /^lambdas\/send\/entry\.ts$/, ['domain', 'ports', 'shared', 'send', 'aws', 'chat-service']],
  ['publish entry', /^lambdas\/publish\/entry\.ts$/, ['domain', 'ports', 'shared', 'publish', 'aws']],
  ['manage entry', /^lambdas\/manage\/entry\.ts$/, ['domain', 'ports', 'shared', 'manage', 'aws', 'chat-service']],
  ['receive', /^lambdas\/receive\//, ['domain', 'ports', 'shared', 'receive']],
  ['send', /^lambdas\/send\//, ['domain', 'ports', 'shared', 'send']],
  ['publish', /^lambdas\/publish\//, ['domain', 'ports', 'shared', 'publish']],
  ['manage', /^lambdas\/manage\//, ['domain', 'ports', 'shared', 'manage']],
  // What is deployed knows the functions by their settings alone.
  ['lib', /^lib\//, ['lib', 'domain', 'receive', 'send', 'publish', 'manage']],
  ['bin', /^bin\//, ['lib']],
  // The sandbox is a second reading of the contract: it shares no code with the first.
  // The page runs in a browser: it may know the service's types, and no code of it.
  ['console page', /^sandbox\/console\/page\//, ['console page', 'sandbox']],
  ['sandbox', /^sandbox\//, ['sandbox']],
  ['local', /^local\//, ['local', 'lib', 'sandbox', 'operations']],
  // What both the local run's console and the command do to queues and the API.
  ['operations', /^cli\/operations\//, ['operations']],
  ['cli', /^cli\//, ['cli', 'operations', 'domain', 'lib', 'manage']],
];

/** What a room may take from another is sometimes less than all of it. */
const LIB_TAKES =
  /^lambdas\/(domain\/|(receive|send|publish|manage)\/environment\.ts$|manage\/(requests|responses|routes)\.ts$|receive\/auth\/webhook-auth\.ts$)/;

const roomOf = (file: string) => ROOMS.find(([, files]) => files.test(file));

const importsOf = (file: string): readonly string[] => {
  const code = readFileSync(join(ROOT, file), 'utf8');
  const specifiers = [...code.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier]) => specifier ?? '');
  return specifiers.map((specifier) => relative(ROOT, join(ROOT, dirname(file), specifier)));
};

const files = globSync('{bin,lib,lambdas,sandbox,local,cli}/**/*.{ts,tsx}', { cwd: ROOT }).toSorted();

const isOfSandbox = (path: string) => /^sandbox\//.test(path) && !path.startsWith('sandbox/console/page/');

describe('the arrows', () => {
  it('see the whole house', () => {
    const rooms = new Set(files.map((file) => roomOf(file)?.[0] ?? `no room: ${file}`));
    expect([...rooms].toSorted()).toEqual(ROOMS.map(([room]) => room).toSorted());
  });

  it('go one way: into a function’s folder, through domain, out by a port', () => {
    const against = files.flatMap((file) => {
      const mayImport = roomOf(file)?.[2] ?? [];
      return importsOf(file)
        .filter((imported) => !mayImport.includes(roomOf(imported)?.[0] ?? ''))
        .map((imported) => `${file} imports ${imported}`);
    });
    expect(against).toEqual([]);
  });

  it('let lib and cli take nothing of a function but its settings and its schemas', () => {
    const against = files
      .filter((file) => /^(lib|cli)\//.test(file))
      .flatMap((file) => importsOf(file).map((imported) => ({ file, imported })))
      .filter(({ imported }) => imported.startsWith('lambdas/') && !LIB_TAKES.test(imported));
    expect(against).toEqual([]);
  });

  it('let the console’s page take nothing of the sandbox but types', () => {
    const against = files
      .filter((file) => file.startsWith('sandbox/console/page/'))
      .flatMap((file) => {
        const imports = readFileSync(join(ROOT, file), 'utf8').matchAll(/^import (?!type )[^;]*from '([^']+)'/gm);
        return [...imports].map(([, specifier = '']) => join(dirname(file), specifier)).filter(isOfSandbox);
      });
    expect(against).toEqual([]);
  });

  it('leave the environment to the entries', () => {
    const readers = files.filter(
      (file) => file.startsWith('lambdas/') && readFileSync(join(ROOT, file), 'utf8').includes('process.env'),
    );
    expect(readers).toEqual([
      'lambdas/manage/entry.ts',
      'lambdas/publish/entry.ts',
      'lambdas/receive/entry.ts',
      'lambdas/send/entry.ts',
    ]);
  });

  it('keep the machine’s time and chance out of the rules and the use cases', () => {
    const askers = files.filter(
      (file) =>
        /^lambdas\/(domain|receive|send|publish|manage)\//.test(file) &&
        /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|performance\.now\(/.test(
          readFileSync(join(ROOT, file), 'utf8'),
        ),
    );
    expect(askers).toEqual([]);
  });
});
