import { OPEN_REASONS } from '../../../lambdas/domain/circuit-breaker.ts';
import type { RefusalCode } from '../../../lambdas/domain/decision.ts';
import { eventDetails } from '../../../lambdas/domain/events/event-details.ts';
import type { SendEndpoint } from '../../../lambdas/domain/send-outcome.ts';
import { SEND_TRANSITIONS } from '../../../lambdas/domain/send-transitions.ts';
import type { CallEnd } from '../world/journal.ts';
import { observeTransition } from '../world/observe-transition.ts';
import { parseObject } from '../world/parse-object.ts';
import { buttonIn } from '../world/translate-event.ts';
import { ACT_WEIGHTS, CHOICES } from './draw-acts.ts';
import type { Act } from './history.ts';
import { IMPOSSIBLE, RARE } from './impossible.ts';
import { type FunctionName, type LedgerEntry, LOSS_CAUSES } from './ledger.ts';
import { observeReport, REPORTS } from './observe-report.ts';
import { LINKS, observeLink, observeWire, WIRE_KINDS } from './observe-wire.ts';
import { DECLARED_FAULTS } from './port-calls.ts';
import { namesOf } from './random-draw.ts';
import { STAGE_INVARIANT_NAMES } from './stage-invariants.ts';
import type { StageRun } from './stage-run.ts';

/**
 * Counts of what happened in some runs, by name, such as `transition claim from waiting`. Anything that was possible in
 * one of the runs but never happened has the count 0.
 */
export type Witnesses = Map<string, number>;

/** Requests to customers are simulated with the identities. */
type RefusalOfCustomer = 'CUSTOMER_UNKNOWN' | 'CUSTOMER_AMBIGUOUS';

const REFUSALS: Readonly<Record<Exclude<RefusalCode, RefusalOfCustomer>, true>> = {
  WINDOW_CLOSED: true,
  REASON_MISSING: true,
  NO_OPT_IN: true,
  OPTED_OUT: true,
  MEDIA_UNSUPPORTED: true,
  PROCESSING_FAILED: true,
  NOT_ON_PLATFORM: true,
  PARAMS_INVALID: true,
  SUPERSEDED: true,
  SINCE_UNKNOWN: true,
  HUMAN_TOOK_OVER: true,
  HANDED_OVER: true,
  CONDITION_UNKNOWN: true,
};

const CALL_ENDS: Readonly<Record<CallEnd, true>> = {
  accepted: true,
  'window-closed': true,
  'not-done': true,
  rejected: true,
};

const INVOCATION_ENDS: Readonly<Record<Extract<LedgerEntry, { kind: 'ended' }>['how'], true>> = {
  answered: true,
  failed: true,
  died: true,
  'timed-out': true,
};

const FUNCTIONS: Readonly<Record<FunctionName, true>> = {
  receive: true,
  drain: true,
  send: true,
  publish: true,
  'end-turn': true,
  manage: true,
  erase: true,
  keep: true,
};

const portCallName = (call: string): string => `port call ${call}`;
const faultName = (call: string, fault: string): string => `fault ${fault} at ${call}`;

/** The consents that keywords give, and the attribute that names their message. */
const KEYWORD_CONSENTS = [
  { name: 'opt-out by keyword', messageId: 'userOptOutMessageId' },
  { name: 'opt-in by keyword', messageId: 'userOptInMessageId' },
] as const;

const OPT_OUT_BY_BUTTON = 'opt-out by a button';
const QUARANTINED_ALONE = 'event of a post with others in quarantine';

const SEND_ENDPOINTS = ['message/v3', 'intent/v2'] as const satisfies readonly SendEndpoint[];

/** The names of everything that is possible in any history. */
const POSSIBLE: readonly string[] = [
  ...namesOf(ACT_WEIGHTS).map((kind) => `act ${kind}`),
  ...Object.entries(CHOICES).flatMap(([choice, values]) => values.map((value) => `act with ${choice} ${value}`)),
  ...CHOICES.part.flatMap((part) => CHOICES.how.map((how) => `outage of ${part}: ${how}`)),
  ...namesOf(SEND_TRANSITIONS).flatMap((name) =>
    namesOf(SEND_TRANSITIONS[name].from).map((from) => `transition ${name} from ${from}`),
  ),
  ...REPORTS.map((report) => `report from the chat service: ${report}`),
  ...namesOf(eventDetails).map((name) => `event ${name}`),
  ...namesOf(REFUSALS).map((code) => `refusal ${code}`),
  ...KEYWORD_CONSENTS.map(({ name }) => name),
  ...WIRE_KINDS,
  ...LINKS,
  OPT_OUT_BY_BUTTON,
  QUARANTINED_ALONE,
  ...OPEN_REASONS.map((reason) => `circuit breaker open: ${reason}`),
  ...SEND_ENDPOINTS.flatMap((endpoint) => namesOf(CALL_ENDS).map((end) => `call ${endpoint}: ${end}`)),
  ...namesOf(INVOCATION_ENDS).map((how) => `invocation ${how}`),
  ...LOSS_CAUSES.map((why) => `event lost: ${why}`),
  ...namesOf(FUNCTIONS).map((name) => `invocation of ${name}`),
  ...[...DECLARED_FAULTS].flatMap(([call, faults]) => [
    portCallName(call),
    ...faults.map((fault) => faultName(call, fault)),
  ]),
  ...STAGE_INVARIANT_NAMES.map((name) => `check ${name}`),
];

/**
 * Counts what happened in a run.
 *
 * @param checks how many things each invariant checked
 */
export const countWitnesses = (
  { ledger, possibleFaults }: StageRun,
  checks: Readonly<Record<string, number>>,
  witnesses: Witnesses,
): void => {
  const functions = new Map<string | undefined, FunctionName>();
  const count = (name: string, by = 1) => witnesses.set(name, (witnesses.get(name) ?? 0) + by);
  for (const [call, faults] of possibleFaults) {
    count(portCallName(call));
    for (const fault of faults) count(faultName(call, fault), 0);
  }
  for (const [invariant, checked] of Object.entries(checks)) count(`check ${invariant}`, checked);
  const buttons = new Set<unknown>();
  for (const entry of ledger.entries) {
    if (entry.kind === 'event' && buttonIn(String(entry.source?.MESSAGE)) !== undefined) {
      buttons.add(entry.source?._id_);
    }
    const isOptOut = entry.kind === 'write' && entry.key.endsWith(' CONSENT') && entry.after !== undefined;
    if (isOptOut && buttons.has(entry.after?.userOptOutMessageId)) count(OPT_OUT_BY_BUTTON);
    if (entry.kind === 'invoked') functions.set(entry.process, entry.function);
    for (const name of namesIn(entry, functions.get(entry.process))) count(name);
  }
};

const namesIn = (entry: LedgerEntry, by: FunctionName | undefined): readonly string[] => {
  switch (entry.kind) {
    case 'act':
      return namesOfAct(entry.act);
    case 'event': {
      if (entry.isUnauthenticated) return [];
      const report = observeReport(entry.source ?? parseObject(entry.body) ?? {});
      return [...(report === undefined ? [] : [`report from the chat service: ${report}`]), ...observeWire(entry)];
    }
    case 'queued': {
      const isAlone = entry.queue === 'inbound-dead-letters' && entry.body.includes('"isEvent":true');
      return isAlone && by === 'receive' ? [QUARANTINED_ALONE] : [];
    }
    case 'fault':
      return [faultName(`${entry.function} ${entry.call}`, entry.fault)];
    case 'event-lost':
      return [`event lost: ${entry.why}`];
    case 'published':
      return [`event ${entry.detailType}`];
    case 'call':
      return [`call ${entry.endpoint}: ${entry.end}`];
    case 'invoked':
      return [`invocation of ${entry.function}`];
    case 'ended':
      return [`invocation ${entry.how}`];
    case 'write': {
      const { key, before, after } = entry;
      if (key.startsWith('ACCOUNT#')) {
        const isOpened = after?.reason !== undefined && before?.reason === undefined;
        return isOpened ? [`circuit breaker open: ${String(after.reason)}`] : [];
      }
      if (key.startsWith('TRANSACTION#')) return observeLink(entry);
      if (key.endsWith(' CONSENT')) {
        const given = KEYWORD_CONSENTS.filter(
          ({ messageId }) => after?.[messageId] !== undefined && after[messageId] !== before?.[messageId],
        );
        return given.map(({ name }) => name);
      }
      if (!key.startsWith('SEND#')) return [];
      const transition = observeTransition(by, before, after);
      if (transition === undefined) return [];
      const refusal = after?.state === 'refused' ? [`refusal ${String(after.code)}`] : [];
      return [`transition ${transition.name} from ${transition.from}`, ...refusal];
    }
    default:
      return [];
  }
};

const namesOfAct = (act: Act): readonly string[] => [
  `act ${act.kind}`,
  ...Object.entries(act)
    .filter(([choice]) => Object.hasOwn(CHOICES, choice))
    .map(([choice, value]) => `act with ${choice} ${String(value)}`),
  ...(act.kind === 'outage' ? [`outage of ${act.part}: ${act.how}`] : []),
];

/** Creates witnesses without any runs. */
export const createWitnesses = (): Witnesses => new Map(POSSIBLE.map((name) => [name, 0]));

export const addWitnesses = (to: Witnesses, more: ReadonlyMap<string, number>): void => {
  for (const [name, count] of more) to.set(name, (to.get(name) ?? 0) + count);
};

/** Runs with fewer seeds do not fail if something possible never happens. */
export const MIN_SEEDS_FOR_WITNESSES = 1_000;

export interface Testimony {
  /** What never happened and is listed neither as impossible nor as rare. */
  readonly unwitnessed: readonly string[];
  /** What happened but is listed as impossible, or is not known to be possible. */
  readonly unexpected: readonly string[];
}

/** Compares what happened with what is possible. At each possible call, its faults are possible, too. */
export const judgeWitnesses = (
  witnesses: ReadonlyMap<string, number>,
  impossible: Readonly<Record<string, string>> = IMPOSSIBLE,
): Testimony => {
  const isImpossible = (name: string) =>
    Object.hasOwn(impossible, name) || Object.hasOwn(impossible, name.replace(FAULT_AT, portCallName('')));
  const entries = [...witnesses];
  return {
    unwitnessed: entries
      .filter(([name, count]) => count === 0 && KNOWN.has(name) && !isImpossible(name) && !Object.hasOwn(RARE, name))
      .map(([name]) => name),
    unexpected: entries
      // A fault that nothing declares is unexpected wherever it could happen.
      .filter(([name, count]) => !KNOWN.has(name) || (count > 0 && isImpossible(name)))
      .map(([name]) => (KNOWN.has(name) ? `${name}, which is listed as impossible` : name)),
  };
};

const FAULT_AT = /^fault \S+ at /;

const KNOWN: ReadonlySet<string> = new Set(POSSIBLE);
