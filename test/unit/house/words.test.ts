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
  [/\bstand-ins?\b/, 'emulator'],
  [/\bout of reach\b/, 'unavailable'],
];

/** JavaScript's own name, paths of the control API, and a title of the field notes. */
const EXEMPT = /allSettled|\/carrier\b|field notes, "The carrier"/g;

const EXEMPT_FILES = ['test/unit/house/words.test.ts', 'package-lock.json', 'LICENSE'];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|tsx|js|md|json|html|css|txt)$/.test(file) && !EXEMPT_FILES.includes(file));

/** Splits names such as `isUntoldChange` and `MACHINE_ROOM` into words. */
const spaced = (line: string): string =>
  `${line} ${line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')}`.toLowerCase();

describe('the vocabulary', () => {
  it("uses the field's own words in sources, documents, and the console", () => {
    const found = files.flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const words = spaced(line.replaceAll(EXEMPT, ''));
          return REPLACED.filter(([pattern]) => new RegExp(pattern.source, 'i').test(words)).map(
            ([pattern, instead]) => `${file}:${index + 1}: ${pattern.exec(words)?.[0]} → ${instead}`,
          );
        }),
    );
    expect(found).toEqual([]);
  });

  it('finds a replaced word in prose, in a camel-case name, and in a constant', () => {
    const isFound = (line: string) => REPLACED.some(([pattern]) => new RegExp(pattern.source, 'i').test(spaced(line)));
    expect(['// nobody was told', 'const untoldChanges = 1;', 'MACHINE_ROOM'].map(isFound)).toEqual([true, true, true]);
    expect(isFound('// the events were published')).toBe(false);
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
