import { ACT_WEIGHTS } from './draw-acts.ts';
import { PLAIN_FEATURES } from './draw-features.ts';
import type { History } from './history.ts';

export type ParsedHistory =
  | { readonly kind: 'history'; readonly history: History }
  | { readonly kind: 'invalid'; readonly why: string };

/** Parses a stored history. Checks for common mistakes in an edited file, not every field. */
export const parseHistory = (text: string): ParsedHistory => {
  const json = parse(text);
  if (!isObject(json)) return invalid('it is not a JSON object');
  const { seed, features, acts, faults } = json;
  if (!Number.isInteger(seed)) return invalid('it has no seed');
  if (!isObject(features)) return invalid('it has no features');
  const missing = Object.keys(PLAIN_FEATURES).find((name) => features[name] === undefined);
  if (missing !== undefined) return invalid(`its features have no ${missing}`);
  if (faults !== undefined && !isListOf(faults, (fault) => typeof fault === 'string')) {
    return invalid('its faults are no list of ids');
  }
  if (!isListOf(acts, isAct)) return invalid('its acts are no list of acts with a known kind and a time');
  const times = acts.map(({ atMs }) => atMs);
  if (times.some((time, index) => time < (times[index - 1] ?? time))) {
    return invalid('its acts are not in the order of their times');
  }
  // The remaining fields are as `npm run simulate` wrote them.
  return { kind: 'history', history: json as unknown as History };
};

const invalid = (why: string): ParsedHistory => ({ kind: 'invalid', why: `${why}.` });

const isAct = (value: unknown): value is { readonly kind: string; readonly atMs: number } =>
  isObject(value) && typeof value.atMs === 'number' && Object.hasOwn(ACT_WEIGHTS, String(value.kind));

const isListOf = <Entry>(value: unknown, isEntry: (entry: unknown) => entry is Entry): value is readonly Entry[] =>
  Array.isArray(value) && value.every(isEntry);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
