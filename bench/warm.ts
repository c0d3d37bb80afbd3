import { createRunFolder } from '../local/base/run-folder.ts';
import { comparisonTable, formatRatio, median, medianCells } from './comparison.ts';
import { startRecordedStacks } from './functions/recorded-stacks.ts';
import { interleave, type Measurement, type Table } from './report.ts';
import { WARM_KINDS, type WarmKind } from './warm/warm-kinds.ts';
import { startWarmStack, type WarmStack } from './warm/warm-stack.ts';

const ROUNDS = 15;
const BATCH = 100;
/** How many messages a post of the format `v1.1` has. */
const PER_POST = [1, 10];
/** Each kind has a batch more than the next, because a message must be stored before it is answered, and so on. */
const WARM_UP: Readonly<Record<WarmKind, number>> = { 'inbound message': 500, send: 400, status: 300 };

/** The measurements of one kind of event in one stack. */
interface Cell {
  readonly stack: WarmStack;
  readonly kind: WarmKind;
  readonly calls: string[];
  cpuMs: readonly number[];
}

/** Measures the processor time and the calls to DynamoDB that an event costs a function that has handled many before. */
export const measureWarm = async (rounds = ROUNDS): Promise<Measurement> => {
  await using resources = new AsyncDisposableStack();
  const { path: folder } = resources.use(await createRunFolder());
  const recorded = resources.use(await startRecordedStacks(folder));
  const parley = resources.use(await startWarmStack(recorded.parley));
  const stacks = [parley, resources.use(await startWarmStack(recorded.tutorial))];
  for (const stack of stacks) {
    for (const kind of ['inbound message', 'send', 'status'] as const) await stack.handle(kind, WARM_UP[kind]);
  }
  const cells = WARM_KINDS.flatMap((kind) => stacks.map((stack): Cell => ({ stack, kind, calls: [], cpuMs: [] })));
  const samples = await interleave(cells, { rounds, warmUpRounds: 0 }, async ({ stack, kind, calls }) => {
    const batch = await stack.handle(kind, BATCH);
    calls.push(...batch.calls);
    console.error(`${stack.name}, ${kind}: ${batch.cpuMs.toFixed(2)} ms`);
    return batch.cpuMs;
  });
  for (const cell of cells) cell.cpuMs = samples.get(cell) ?? [];
  const posts = await interleave(PER_POST, { rounds, warmUpRounds: 3 }, (perPost) =>
    parley.handlePosts(BATCH, perPost),
  );
  const { tables, charts } = report(cells, rounds);
  return { tables: [...tables, postsTable(posts)], charts };
};

/** What a message costs Parley by the number of messages in its post. The tutorial reads no posts with several. */
const postsTable = (posts: ReadonlyMap<number, readonly number[]>): Table => ({
  title: 'Processor time per message, by the number of messages in a post',
  rows: [
    ['messages in a post', 'Parley, ms', 'quartiles'],
    ...PER_POST.map((perPost) => [String(perPost), ...medianCells(posts.get(perPost) ?? [], 3)]),
  ],
});

const report = (cells: readonly Cell[], rounds: number): Measurement => {
  const ofKind = (kind: WarmKind): readonly [Cell, Cell] => {
    const [parley, tutorial] = cells.filter((cell) => cell.kind === kind);
    if (!parley || !tutorial) throw new Error(`Both stacks must handle the kind "${kind}".`);
    return [parley, tutorial];
  };
  const comparisons = WARM_KINDS.map((label) => {
    const [parley, tutorial] = ofKind(label);
    return { label, parley: parley.cpuMs, tutorial: tutorial.cpuMs };
  });
  const callsPerEvent = ({ calls }: Cell): number => calls.length / (rounds * BATCH);
  const calls: Table = {
    title: 'Calls to DynamoDB per event',
    rows: [
      ['event', 'Parley', 'tutorial', 'Parley / tutorial'],
      ...WARM_KINDS.map((kind) => {
        const [parley, tutorial] = ofKind(kind).map(callsPerEvent);
        return [
          kind,
          ...ofKind(kind).map(({ calls }) => describeCalls(calls, rounds * BATCH)),
          formatRatio((parley ?? Number.NaN) / (tutorial ?? Number.NaN)),
        ];
      }),
    ],
  };
  return {
    tables: [
      comparisonTable(
        {
          title: 'Processor time per event',
          first: 'event',
          unit: 'ms',
          digits: 3,
          note: `Medians of ${rounds} batches of ${BATCH} events.`,
        },
        comparisons,
      ),
      calls,
    ],
    charts: [
      {
        name: 'warm',
        title: 'Processor time per event',
        unit: 'ms',
        groups: comparisons.map(({ label, parley, tutorial }) => ({
          label,
          bars: [
            { label: 'Parley', value: median(parley) },
            { label: 'Tutorial', value: median(tutorial) },
          ],
        })),
      },
    ],
  };
};

/** Returns the average calls per event, such as `1 GetItem, 3 UpdateItem`. */
const describeCalls = (calls: readonly string[], events: number): string =>
  [...Map.groupBy(calls, (name) => name)]
    .map(([name, same]) => `${Number((same.length / events).toFixed(2))} ${name}`)
    .toSorted()
    .join(', ');
