import type { Item } from '../../../../lambdas/table/item.ts';
import { ACCOUNT, NOW, RETENTION_DAYS, sendRequest } from '../../../support/builders.ts';
import { PLAIN_FEATURES } from '../draw-features.ts';
import type { Act, Features, History } from '../history.ts';
import { type FunctionName, type LedgerEntry, QUEUES } from '../ledger.ts';
import type { StageRun } from '../stage-run.ts';

type Event = LedgerEntry extends infer Each ? (Each extends LedgerEntry ? Omit<Each, 'atMs'> : never) : never;

/** A step of a story, with the seconds since its start. */
export interface Step {
  readonly name: string;
  readonly seconds: number;
  readonly event: Event;
}

export const START_MS = Date.parse(NOW);
export const at = (seconds: number): string => new Date(START_MS + seconds * 1000).toISOString();

/** Returns when an item that was written so many seconds after the start expires. */
export const expiryOf = (kind: keyof typeof RETENTION_DAYS, seconds: number): number =>
  Math.floor(START_MS / 1000) + seconds + RETENTION_DAYS[kind] * 24 * 60 * 60;

const FEATURES: Features = { ...PLAIN_FEATURES, rules: { clientPayload: 'all' }, content: true };

/** Creates a handwritten run. Its table and queues follow from its entries. */
export const runOf = (
  steps: readonly Step[],
  { features = {} }: { readonly features?: Partial<Features> } = {},
): StageRun => {
  // An event, and its time, are an entry.
  const entries = steps.map(({ seconds, event }) => ({ ...event, atMs: START_MS + seconds * 1000 }) as LedgerEntry);
  const items = new Map<string, Item>();
  const queued = Object.fromEntries(QUEUES.map((name) => [name, [] as { body: string; reason: string | undefined }[]]));
  const scheduled = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'write' && entry.after) items.set(entry.key, entry.after);
    else if (entry.kind === 'write') items.delete(entry.key);
    else if (entry.kind === 'queued') queued[entry.queue]?.push({ body: entry.body, reason: entry.reason });
    else if (entry.kind === 'deleted') {
      const messages = queued[entry.queue] ?? [];
      messages.splice(
        messages.findIndex(({ body }) => body === entry.body),
        1,
      );
    } else if (entry.kind === 'scheduled') scheduled.add(entry.requestId);
    else if (entry.kind === 'unscheduled' || entry.kind === 'schedule-fired') scheduled.delete(entry.requestId);
  }
  const acts = entries.flatMap((entry) => (entry.kind === 'act' ? [entry.act] : []));
  const history: History = { seed: 0, features: { ...FEATURES, ...features }, acts };
  const calm = entries.find(({ kind }) => kind === 'calm') ?? entries.at(-1);
  return {
    history,
    ledger: { entries },
    how: 'quiet',
    items,
    // Every name of a queue is in the record.
    queued: queued as unknown as StageRun['queued'],
    scheduled: [...scheduled],
    possibleFaults: new Map(),
    calmAtMs: calm?.atMs ?? START_MS,
    endedAtMs: entries.at(-1)?.atMs ?? START_MS,
  };
};

/** Adds a step after another. */
export const inserted = (steps: readonly Step[], name: string, ...added: readonly Step[]): readonly Step[] =>
  steps.flatMap((step) => (step.name === name ? [step, ...added] : [step]));

export const without = (steps: readonly Step[], ...names: readonly string[]): readonly Step[] =>
  steps.filter(({ name }) => !names.includes(name));

/** Changes some of the fields of a step. */
export const changed = (steps: readonly Step[], name: string, fields: object, seconds?: number): readonly Step[] => {
  if (!steps.some((step) => step.name === name)) throw new Error(`The story has no step ${name}.`);
  return steps.map((step) =>
    step.name === name
      ? { ...step, seconds: seconds ?? step.seconds, event: { ...step.event, ...fields } as Event }
      : step,
  );
};

/** Changes some of the attributes that a write leaves. */
export const written = (steps: readonly Step[], name: string, attributes: Item): readonly Step[] =>
  steps.map((step) =>
    step.name === name && step.event.kind === 'write'
      ? { ...step, event: { ...step.event, after: { ...step.event.after, ...attributes } } }
      : step,
  );

export const step = (name: string, seconds: number, event: Event): Step => ({ name, seconds, event });

export const actStep = (name: string, seconds: number, act: object): Step =>
  // The type system cannot see that an act without its time, plus a time, is an act.
  step(name, seconds, { kind: 'act', act: { ...act, atMs: START_MS + seconds * 1000 } as Act });

export const invoked = (process: string, fn: FunctionName, seconds: number): Step =>
  step(`${process} starts`, seconds, { kind: 'invoked', function: fn, messages: 1, process });

export const ended = (process: string, fn: FunctionName, seconds: number): Step =>
  step(`${process} ends`, seconds, { kind: 'ended', function: fn, how: 'answered', process });

/** @param key the partition key and the sort key, separated by a space */
export const writeStep = (
  name: string,
  seconds: number,
  { process, key, before, after: item }: { process: string; key: string; before?: Item; after?: Item },
): Step => {
  const sk = key.slice(key.lastIndexOf(' ') + 1);
  const keys = { pk: key.slice(0, key.lastIndexOf(' ')), sk };
  return step(name, seconds, {
    kind: 'write',
    key,
    before: before && { ...keys, ...before },
    after: item && { ...keys, ...item },
    process,
  });
};

export const USER = '+5491155550000';
export const KEY = '541155550000';
export const CONTACT = `CONTACT#${ACCOUNT.platform}#*#${KEY}`;
export const REQUEST = sendRequest({ messageText: 'request-1: It is on its way.', platformContactId: USER });
export const REQUEST_BODY = JSON.stringify(REQUEST);

export const MESSAGE_BODY = JSON.stringify({
  _id_: 'in-1',
  FROM: USER.slice(1),
  MESSAGE: 'Where is it?',
  CREATION_TIME: at(0),
});
export const DELIVERED_BODY = JSON.stringify({
  _id_: 'out-1',
  FROM: USER.slice(1),
  STATUS: 'delivered',
  CREATION_TIME: at(40),
  CLIENT_PAYLOAD: 'request-1',
});
