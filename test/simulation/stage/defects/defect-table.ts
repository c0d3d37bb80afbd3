import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { code, markdownTable, tableUnder, wrap } from '../../../../lib/documents/markdown.ts';
import { IDENTITY_DEFECTS } from '../../identity/identity-defects.ts';
import { IDENTITY_INVARIANTS } from '../../identity/identity-invariants.ts';
import { SEARCHABLE_MUTANTS } from '../../search/searchable.ts';
import { STAGE_INVARIANTS } from '../stage-invariants.ts';
import { STAGE_DEFECTS } from './stage-defects.ts';

/** Where a defect was found: in the history of a seed, in some runs of a scenario, or in none of the histories played. */
const found = z.union([
  z.object({ seed: z.number() }),
  z.object({ runs: z.number(), violating: z.number() }),
  z.object({ notFoundInSeeds: z.number() }),
]);

export type Found = z.output<typeof found>;

export const parseFound = (text: string): Found => found.parse(JSON.parse(text));

/**
 * Where defects are seeded: in the stage that plays random histories, in that of identity histories, or in the scenarios
 * of the search.
 */
export const SEEDED_DEFECTS = {
  histories: STAGE_DEFECTS,
  identities: IDENTITY_DEFECTS,
  search: SEARCHABLE_MUTANTS,
} as const;

export const DEFECT_PLACES = [
  'histories',
  'identities',
  'search',
] as const satisfies readonly (keyof typeof SEEDED_DEFECTS)[];

export type DefectPlace = (typeof DEFECT_PLACES)[number];

const PAGE = new URL('../../../../docs/defects.md', import.meta.url);

export const readDefectPage = (): string => readFileSync(PAGE, 'utf8');

const HEADINGS: Readonly<Record<DefectPlace, string>> = {
  histories: '## In random histories',
  identities: '## In identity histories',
  search: '## In the exhaustive search',
};

/** Where each defect was found, as {@link describeFound} says it. */
type FoundIn = Readonly<Record<DefectPlace, ReadonlyMap<string, string>>>;

/** Returns what a page says about where each defect was found. */
export const foundOn = (page: string): FoundIn => {
  const read = (place: DefectPlace) => {
    const [, ...rows] = tableUnder(page, HEADINGS[place]);
    return new Map(rows.map((row) => [row[0]?.replaceAll('`', '') ?? '', row.at(-1) ?? '']));
  };
  return { histories: read('histories'), identities: read('identities'), search: read('search') };
};

/** Writes to the page where a defect was found. */
export const writeFound = (place: DefectPlace, name: string, result: Found): void => {
  const all = foundOn(readDefectPage());
  writeFileSync(PAGE, defectPageOf({ ...all, [place]: new Map([...all[place], [name, describeFound(result)]]) }));
};

/** Describes where a defect was found. */
export const describeFound = (result: Found): string => {
  if ('seed' in result) return `seed ${number(result.seed)}`;
  if ('runs' in result) return `${number(result.violating)} of ${number(result.runs)} runs`;
  return `none of ${number(result.notFoundInSeeds)} seeds`;
};

const number = (count: number): string => count.toLocaleString('en-US');

/** Returns docs/defects.md. */
export const defectPageOf = ({ histories, identities, search }: FoundIn): string => `# Seeded defects

A check that finds nothing may be unable to find anything. To rule that out, one defect at a time is seeded in the
functions, and the invariant listed beside it must find it. To update this page, run
\`npm run simulate:defects -- --write\`. [Reliability](reliability.md) explains what the invariants promise.

${HEADINGS.histories}

Each defect is seeded in the histories of \`npm run simulate\`, starting with seed 0, until its invariant is violated.
\`npm test\` also plays each defect in a short history of its own, which violates no invariant without the defect.

${foundTable(STAGE_DEFECTS, histories)}

${descriptions(STAGE_DEFECTS)}

${HEADINGS.identities}

Each defect is seeded in the histories of \`npm run simulate:identity\`, in which people have several addresses, change
them, and take over those of others. \`npm test\` plays the history of the listed seed with and without the defect.

${foundTable(IDENTITY_DEFECTS, identities)}

${descriptions(IDENTITY_DEFECTS)}

These histories have invariants of their own:

${sentences(IDENTITY_INVARIANTS)}

${HEADINGS.search}

Each defect is seeded in one [scenario](scenarios.md). *Found in* shows how many of the runs violate the invariant.

${markdownTable([
  ['Defect', 'Scenario', 'Invariant', 'Found in'],
  ...Object.entries(SEARCHABLE_MUTANTS).map(([name, { scenario, invariant }]) => [
    code(name),
    code(scenario),
    code(invariant),
    search.get(name) ?? 'not run',
  ]),
])}

${descriptions(SEARCHABLE_MUTANTS)}

## Invariants

${sentences(STAGE_INVARIANTS)}
`;

const foundTable = (
  defects: Readonly<Record<string, { readonly invariant: string }>>,
  found: ReadonlyMap<string, string>,
): string =>
  markdownTable([
    ['Defect', 'Invariant', 'Found in'],
    ...Object.entries(defects).map(([name, { invariant }]) => [
      code(name),
      code(invariant),
      found.get(name) ?? 'not run',
    ]),
  ]);

const sentences = (invariants: Readonly<Record<string, { readonly sentence: string }>>): string =>
  Object.entries(invariants)
    .map(([name, { sentence }]) => wrap(`- ${code(name)}: ${sentence}`, '  '))
    .join('\n');

const descriptions = (defects: Readonly<Record<string, { readonly breaks: string }>>): string =>
  Object.entries(defects)
    .map(([name, { breaks }]) => wrap(`- ${code(name)}: ${breaks}`, '  '))
    .join('\n');
