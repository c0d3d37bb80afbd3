import { contactKey } from '../../../lambdas/domain/contact.ts';
import { PLAIN_FEATURES } from './draw-features.ts';
import type { Act, History } from './history.ts';
import { minimize } from './minimize.ts';
import { unusualFeatures, withPlain } from './simplify-features.ts';

/** The result of playing a history. */
export interface Attempt {
  /** The names of the violated invariants. */
  readonly violated: readonly string[];
  /** The ids of the faults that happened. */
  readonly faults: readonly string[];
}

export interface ShrinkOptions {
  /** The invariant that the shrunk history must also violate. */
  readonly invariant: string;
  readonly attempt: (history: History) => Promise<Attempt>;
  /** @default 1000 */
  readonly maxRuns?: number;
  readonly onProgress?: (shrunk: History, runs: number) => void;
}

export interface Shrunk {
  readonly history: History;
  readonly runs: number;
  /** Whether nothing more can be removed. False if the limit of runs was reached. */
  readonly isMinimal: boolean;
}

const MAX_RUNS = 1000;
/** The time between two acts, if it does not matter. */
const PLAIN_GAP_MS = 1000;

/**
 * Removes acts, faults, and features of a history as long as the same invariant is violated.
 *
 * @throws Error if the history does not violate the invariant
 */
export const shrinkHistory = async (original: History, options: ShrinkOptions): Promise<Shrunk> => {
  const { invariant, attempt, maxRuns = MAX_RUNS, onProgress } = options;
  let runs = 1;
  const first = await attempt(original);
  if (!first.violated.includes(invariant)) throw new Error(`The history does not violate ${invariant}.`);
  let best = original;

  /** Keeps a candidate that violates the invariant, with the faults that happened. */
  const accepts = async (candidate: History): Promise<boolean> => {
    if (runs >= maxRuns) return false;
    runs += 1;
    const { violated, faults } = await attempt(candidate);
    if (!violated.includes(invariant)) return false;
    best = candidate.faults ? { ...candidate, faults } : candidate;
    onProgress?.(best, runs);
    return true;
  };

  // From here on, the faults are a list, so that they can be removed one by one.
  const isRepeatable = await accepts({ ...original, faults: first.faults });
  if (!isRepeatable && runs < maxRuns) throw new Error('The history does not violate the invariant each time.');

  let before: History | undefined;
  while (best !== before && runs < maxRuns) {
    before = best;
    for (const isLeftOut of groupsOf(best.acts))
      await accepts({ ...best, acts: best.acts.filter((act) => !isLeftOut(act)) });
    await minimize(best.acts, (acts) => accepts({ ...best, acts }));
    await minimize(best.faults ?? [], (faults) => accepts({ ...best, faults }));
    await simplify(best, () => best, accepts);
  }
  return { history: best, runs, isMinimal: runs < maxRuns };
};

/** Replaces features with plain ones, gives each contact one address, and shortens the pauses between acts. */
const simplify = async (
  { features, acts }: History,
  best: () => History,
  accepts: (candidate: History) => Promise<boolean>,
): Promise<void> => {
  const unusual = unusualFeatures(features);
  if (unusual.length > 1 && (await accepts({ ...best(), features: PLAIN_FEATURES }))) return;
  for (const [path] of unusual) await accepts({ ...best(), features: withPlain(best().features, path) });

  const firstByKey = new Map(
    addressesIn(acts)
      .toReversed()
      .map((address) => [contactKey(address), address]),
  );
  for (const address of addressesIn(acts)) {
    const first = firstByKey.get(contactKey(address)) ?? address;
    if (first !== address)
      await accepts({ ...best(), acts: best().acts.map((act) => withAddress(act, address, first)) });
  }
  for (let index = 1; index < acts.length; index += 1) {
    const sooner = withGap(best().acts, index, PLAIN_GAP_MS);
    if (sooner !== undefined) await accepts({ ...best(), acts: sooner });
  }
};

/** Ways to remove many acts at once: all acts of a contact, or of a kind. */
const groupsOf = (acts: readonly Act[]): readonly ((act: Act) => boolean)[] => [
  ...[...new Set(addressesIn(acts).map(contactKey))].map(
    (key) => (act: Act) => addressesIn([act]).some((address) => contactKey(address) === key),
  ),
  ...[...new Set(acts.map(({ kind }) => kind))].map((kind) => (act: Act) => act.kind === kind),
];

const ADDRESS_IN_BODY = /"platformContactId":"([^"]*)"/;

const addressesIn = (acts: readonly Act[]): readonly string[] => [
  ...new Set(
    acts.flatMap((act) => {
      if ('contact' in act) return [act.contact];
      const [, address] = act.kind === 'request' ? (ADDRESS_IN_BODY.exec(act.body) ?? []) : [];
      return address === undefined ? [] : [address];
    }),
  ),
];

const withAddress = (act: Act, from: string, to: string): Act => {
  if ('contact' in act) return act.contact === from ? { ...act, contact: to } : act;
  if (act.kind !== 'request') return act;
  const body = act.body.replace(`"platformContactId":"${from}"`, `"platformContactId":"${to}"`);
  return { ...act, body, groupId: act.groupId === from ? to : act.groupId };
};

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z/g;

/** Moves an act and those after it, with the times in their requests. Returns undefined if that changes nothing. */
const withGap = (acts: readonly Act[], index: number, gapMs: number): readonly Act[] | undefined => {
  const [previous, act] = [acts[index - 1], acts[index]];
  if (previous === undefined || act === undefined) return undefined;
  const earlierMs = act.atMs - previous.atMs - gapMs;
  if (earlierMs <= 0) return undefined;
  const shift = (text: string) => new Date(Date.parse(text) - earlierMs).toISOString();
  return acts.map((one, place) => {
    if (place < index) return one;
    const moved = { ...one, atMs: one.atMs - earlierMs };
    return moved.kind === 'request' ? { ...moved, body: moved.body.replace(INSTANT, shift) } : moved;
  });
};
