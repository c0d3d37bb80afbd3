import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { code, markdownTable, wrapped } from '../../markdown.ts';
import { SEARCHABLE_MUTANTS } from '../../search/searchable.ts';
import { STAGE_INVARIANTS } from '../stage-invariants.ts';
import { STAGE_DEFECTS } from './stage-defects.ts';

/** Where a defect was found: in the history of a seed, in some runs of a scenario, or in none of the histories played. */
const found = z.union([
  z.object({ seed: z.number() }),
  z.object({ runs: z.number(), violating: z.number(), choices: z.string() }),
  z.object({ notFoundInSeeds: z.number() }),
]);

export type Found = z.output<typeof found>;

export const parseFound = (text: string): Found => found.parse(JSON.parse(text));

/** Where defects are seeded: in the stage that plays random histories, or in the scenarios of the search. */
const results = z.object({
  histories: z.record(z.string(), found),
  search: z.record(z.string(), found),
});

export type DefectResults = z.output<typeof results>;

export const SEEDED_DEFECTS = { histories: STAGE_DEFECTS, search: SEARCHABLE_MUTANTS } as const;

export const DEFECT_PLACES = ['histories', 'search'] as const satisfies readonly (keyof typeof SEEDED_DEFECTS)[];

export type DefectPlace = (typeof DEFECT_PLACES)[number];

const PAGE = new URL('../../../../docs/defects.md', import.meta.url);
/** The stored results, so that a command can update only some of them. */
const RESULTS = new URL('results.json', import.meta.url);

/** Returns the stored results of the defects that still exist. */
export const readDefectResults = (): DefectResults => {
  const all = results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
  return { histories: known('histories', all.histories), search: known('search', all.search) };
};

/** Returns the results of the defects that still exist, in the order of the defects. */
const known = (place: DefectPlace, all: Readonly<Record<string, Found>>): Record<string, Found> =>
  Object.fromEntries(
    Object.keys(SEEDED_DEFECTS[place]).flatMap((name) => {
      const result = all[name];
      return result === undefined ? [] : [[name, result]];
    }),
  );

export const readDefectPage = (): string => readFileSync(PAGE, 'utf8');

export const writeDefectResults = ({ histories, search }: DefectResults): void => {
  const sorted = { histories: known('histories', histories), search: known('search', search) };
  writeFileSync(RESULTS, `${JSON.stringify(sorted, undefined, 2)}\n`);
  writeFileSync(PAGE, defectPageOf(sorted));
};

/** Describes where a defect was found. */
export const describeFound = (result: Found | undefined): string => {
  if (result === undefined) return 'not run';
  if ('seed' in result) return `seed ${number(result.seed)}`;
  if ('runs' in result) return `${number(result.violating)} of ${number(result.runs)} runs`;
  return `none of ${number(result.notFoundInSeeds)} seeds`;
};

const number = (count: number): string => count.toLocaleString('en-US');

/** Returns docs/defects.md. */
export const defectPageOf = ({ histories, search }: DefectResults): string => `# Seeded defects

A check that finds nothing may be unable to find anything. To rule that out, one defect at a time is seeded in the
functions, and the invariant listed beside it must find it. To update this page, run
\`npm run simulate:defects -- --write\`. [Reliability](reliability.md) explains what the invariants promise.

## In random histories

Each defect is seeded in the histories of \`npm run simulate\`, starting with seed 0, until its invariant is violated.
\`npm test\` also plays each defect in a short history of its own, which violates no invariant without the defect.

${markdownTable([
  ['Defect', 'Invariant', 'Found in'],
  ...Object.entries(STAGE_DEFECTS).map(([name, { invariant }]) => [
    code(name),
    code(invariant),
    describeFound(histories[name]),
  ]),
])}

${descriptions(STAGE_DEFECTS)}

## In the exhaustive search

Each defect is seeded in one [scenario](scenarios.md). *Found in* shows how many of the runs violate the invariant.

${markdownTable([
  ['Defect', 'Scenario', 'Invariant', 'Found in'],
  ...Object.entries(SEARCHABLE_MUTANTS).map(([name, { scenario, invariant }]) => [
    code(name),
    code(scenario),
    code(invariant),
    describeFound(search[name]),
  ]),
])}

${descriptions(SEARCHABLE_MUTANTS)}

## Invariants

${Object.entries(STAGE_INVARIANTS)
  .map(([name, { sentence }]) => wrapped(`- ${code(name)}: ${sentence}`))
  .join('\n')}
`;

const descriptions = (defects: Readonly<Record<string, { readonly breaks: string }>>): string =>
  Object.entries(defects)
    .map(([name, { breaks }]) => wrapped(`- ${code(name)}: ${breaks}`))
    .join('\n');
