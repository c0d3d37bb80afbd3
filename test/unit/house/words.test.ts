import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** Words the project does not use, and the field's own words for them. Only unambiguous patterns. */
const REPLACED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(un)?told\b|\btelling\b/, 'published, publish failure; reported, shown'],
  [/\b(kept|keeps|keep|put|set) aside\b/, 'quarantined, put on the dead-letter queue'],
  [/\bmachine[ -]?rooms?\b/, 'inspector'],
  [/\bcarriers?\b/, 'publish/subscribe system, delivery'],
  [/\bsettl(e|es|ed|ing|ement|ements|eable)\b/, 'refuse, expire, resolve, confirm, record'],
  [/\bunsettled\b/, 'uncertain'],
  [/\bheld (send|sends|back|account)\b|\bheldAt\b|\bHeldSend\b/, 'claimed; the circuit breaker is open'],
  [/\b(bring|brings|brought|bringing) back\b/, 'redrive'],
  [/\bmend(s|ed|ing)?\b/, 'fix'],
  [/\bforged\b/, 'unauthenticated, invalid signature'],
  [/\bundecided\b/, 'verification unavailable'],
  [/\balarm clocks?\b|\bwake[- ]?ups?\b|\bwoken\b/, 'scheduler, due'],
  [/(?<!support[- ]|help-)\bdesk\b/, 'repository, store'],
  [/\bresting\b/, 'cooldown, circuit-breaking'],
  [/\bafresh\b|\banew\b/, 'again, refresh'],
  [/\bside by side\b/, 'concurrently'],
  [/\basked to end\b/, 'shutdown signal'],
  [/\bsurroundings\b/, 'target, context'],
  [/\bfraction\(\)/, 'random()'],
  [/\bthe way of (a|the|this|each) (message|request)\b/, 'timeline'],
  [/\bwhich is nobody's\b|\btexts all\b|\bstrings all\b/, 'a placeholder; all strings'],
  [/\bbegun\b|\bwhosoever\b|\bheretofore\b|\bwhoever has to\b/, 'started'],
  [/\bwith nobody to hear it\b/, 'avoids an unhandled rejection'],
  [/\blearn read\b|\bbreaker is stale\b/, 'the circuit breaker is open, closed, half-open'],
  [/\bother systems heard\b/, 'events on the bus'],
  [/\b(go|goes|went|going) out again\b/, 'redrive, retry'],
  [/\bstand-ins?\b/, 'emulator'],
  [/\bout of reach\b/, 'unavailable'],
];

/** JavaScript's own name, paths of the control API, and a title of the field notes. */
const EXEMPT = /allSettled|\/carrier\b|field notes, "The carrier"/g;

const EXEMPT_FILES = ['test/unit/house/words.test.ts', 'package-lock.json', 'LICENSE'];

const allFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean);

const files = allFiles.filter(
  (file) =>
    (/\.(ts|tsx|js|md|json|html|css|svg|txt|py|java|xml)$/.test(file) || file === '.ci/run') &&
    !EXEMPT_FILES.includes(file),
);

/** Splits names such as `isUntoldChange` and `MACHINE_ROOM` into words. */
const spaced = (line: string): string =>
  `${line} ${line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')}`.toLowerCase();

/** Returns the replaced words in a line, each with what to write instead. */
const replacedIn = (line: string): readonly string[] => {
  const words = spaced(line.replaceAll(EXEMPT, ''));
  return REPLACED.flatMap(([pattern, instead]) => {
    const [word] = new RegExp(pattern, 'i').exec(words) ?? [];
    return word === undefined ? [] : [`${word} → ${instead}`];
  });
};

describe('the vocabulary', () => {
  it("uses the field's own words in sources, documents, and the console", () => {
    const found = files.flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => replacedIn(line).map((fault) => `${file}:${index + 1}: ${fault}`)),
    );
    expect(found).toEqual([]);
  });

  it("uses the field's own words in the names of files", () => {
    // A name's words are separated by hyphens, dots, and slashes.
    const found = allFiles.flatMap((file) =>
      replacedIn(file.replaceAll(/[-/.]/g, ' ')).map((fault) => `${file}: ${fault}`),
    );
    expect(found).toEqual([]);
  });

  it('finds a replaced word in prose, in a camel-case name, and in a constant', () => {
    const told = 'told → published, publish failure; reported, shown';
    expect(['// nobody was told', 'const untoldChanges = 1;', 'HeldSend'].map(replacedIn)).toEqual([
      [told],
      ['untold → published, publish failure; reported, shown'],
      ['heldsend → claimed; the circuit breaker is open'],
    ]);
    expect(replacedIn('MACHINE_ROOM')).toEqual(['machine room → inspector']);
    expect(replacedIn('// the events were published')).toEqual([]);
  });
});

/** A line that Git writes at a conflict between two branches. */
const CONFLICT = /^(<{7}|={7}$|>{7})/m;

describe('a tracked file', () => {
  it('has no markers of a merge conflict', () => {
    expect(allFiles.filter((file) => CONFLICT.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  it.each(['<<<<<<< HEAD', '=======', '>>>>>>> main'])('has a marker: %s', (marker) => {
    expect(`one\n${marker}\ntwo`).toMatch(CONFLICT);
  });
});

describe('Markdown', () => {
  it('has source lines of at most 120 characters, except in code blocks', () => {
    const long = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => {
        let isCode = false;
        return readFileSync(join(ROOT, file), 'utf8')
          .split('\n')
          .flatMap((line, index) => {
            if (line.startsWith('```')) isCode = !isCode;
            return !isCode && line.length > 120 ? [`${file}:${index + 1}`] : [];
          });
      });
    expect(long).toEqual([]);
  });
});
