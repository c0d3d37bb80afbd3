import { globSync } from 'node:fs';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { z } from 'zod';
import { readEventPattern } from '../../../local/emulators/event-pattern.ts';
import { readTemplate, type Template, writeTemplates } from '../cloudformation/synthesized-templates.ts';
import type { FidelityPart } from '../fidelity-part.ts';
import { type AcceptedFinding, type Finding, judgeFindings } from '../findings.ts';
import { installJava, readOutput } from '../references/installed-tool.ts';
import { arbitraryPattern, eventNear } from './arbitrary-events.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NEEDS = 'event-ruler needs Java 17 or later and Maven';

/** The same events in every run. */
const SEED = 39;
const EVENTS_OF_OURS = 500;
const GENERATED_PATTERNS = 2_000;
const EVENTS_OF_GENERATED = 20;

const ACCEPTED: readonly AcceptedFinding[] = [
  {
    rule: 'difference',
    message: /"(prefix|suffix)":"\\""/,
    reason: 'event-ruler compares with the quotation marks around a string, so a lone one matches an empty string.',
  },
];

/** A pattern, and the events that are matched with it. */
interface PatternCase {
  readonly name: string;
  readonly pattern: unknown;
  readonly events: readonly unknown[];
}

/** Compares the local run's matcher of event patterns with AWS's own. */
export const eventPatternsPart: FidelityPart = {
  name: 'event-patterns',
  description: "every event pattern, and generated ones, matched by the local run and by AWS's event-ruler",
  source: "AWS's event-ruler",
  async run(cacheFolder) {
    const classPath = await installJava('event-ruler', NEEDS, cacheFolder);
    const cases = [...(await ourCases()), ...generatedCases()];
    const program = join(import.meta.dirname, 'MatchEvents.java');
    const input = cases.map((one) => JSON.stringify(one)).join('\n');
    const lines = (await readOutput(['java', '-cp', classPath, program], input)).trim().split('\n');
    const answers = lines.map((line) => answer.parse(JSON.parse(line)));
    const findings = cases.flatMap((one, index) => compare(one, answers[index] ?? 'no answer'));
    const matched = cases.reduce((sum, { events }) => sum + events.length, 0);
    return judgeFindings(matched, findings, ACCEPTED);
  },
};

/** Whether each event matches, or why the pattern is invalid. */
const answer = z.union([z.array(z.boolean()), z.string()]);

const compare = (
  { name, pattern, events }: PatternCase,
  reference: readonly boolean[] | string,
): readonly Finding[] => {
  const text = JSON.stringify(pattern);
  if (typeof reference === 'string') return [{ rule: 'invalid pattern', message: `${name}: ${text}\n  ${reference}` }];
  const matches = readEventPattern(pattern, name);
  const own = events.map(matches);
  const constant = name !== GENERATED && new Set(own).size < 2;
  const differing = events.flatMap((event, index) =>
    own[index] === reference[index]
      ? []
      : [{ rule: 'difference', message: `${name}: ${text}\n  ${JSON.stringify(event)}\n  AWS: ${reference[index]}` }],
  );
  return constant ? [...differing, { rule: 'no proof', message: `${name}: all events match, or none` }] : differing;
};

const GENERATED = 'generated';

const generatedCases = (): readonly PatternCase[] =>
  fc.sample(
    arbitraryPattern.chain((pattern) =>
      fc
        .array(eventNear(pattern), { minLength: EVENTS_OF_GENERATED, maxLength: EVENTS_OF_GENERATED })
        .map((events) => ({ name: GENERATED, pattern, events: events.map(asEvent) })),
    ),
    { seed: SEED, numRuns: GENERATED_PATTERNS },
  );

/** An event is an object. */
const asEvent = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { a: value };

/** The patterns of all templates, examples, and documents, each once, with events that match it or almost do. */
const ourCases = async (): Promise<readonly PatternCase[]> => {
  const patterns = [...(await templatePatterns()), ...(await documentedPatterns())];
  const distinct = new Map(patterns.map((one) => [JSON.stringify(one.pattern), one]));
  return [...distinct.values()].map(({ name, pattern }) => ({
    name,
    pattern,
    events: fc.sample(eventNear(pattern), { seed: SEED, numRuns: EVENTS_OF_OURS }).map(asEvent),
  }));
};

type NamedPattern = Pick<PatternCase, 'name' | 'pattern'>;

const templatePatterns = async (): Promise<readonly NamedPattern[]> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-templates-'));
  const templates = await Promise.all((await writeTemplates(folder.path)).map(readTemplate));
  return templates.flatMap(patternsIn);
};

const withPattern = z.object({ EventPattern: z.record(z.string(), z.unknown()) });
const withFilters = z.object({ FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }) });

const patternsIn = ({ Resources }: Template): readonly NamedPattern[] =>
  Object.entries(Resources).flatMap(([name, { Properties }]) => {
    const filters = withFilters.safeParse(Properties).data?.FilterCriteria.Filters ?? [];
    const { data: rule } = withPattern.safeParse(Properties);
    return [...filters.map(({ Pattern }) => JSON.parse(Pattern)), ...(rule ? [rule.EventPattern] : [])].map(
      (pattern) => ({ name, pattern }),
    );
  });

const documentedPatterns = async (): Promise<readonly NamedPattern[]> => {
  const pages = globSync(join(ROOT, 'docs/**/*.md'));
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
  return texts.flatMap((text, index) =>
    [...text.matchAll(/--event-pattern '([^']+)'/g)].map(([, pattern = '']) => ({
      name: pages[index]?.slice(ROOT.length + 1) ?? '',
      pattern: JSON.parse(pattern),
    })),
  );
};
