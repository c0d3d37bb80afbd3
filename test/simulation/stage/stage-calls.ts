import { FAULTS, type Fault } from '../world/faults.ts';
import type { OutageKind, Part, PortCall, PortTurns } from '../world/turns.ts';
import { DAY_MS } from './durations.ts';
import type { FlakyCall } from './history.ts';
import type { FunctionName } from './ledger.ts';
import type { StageProcess } from './processes.ts';
import type { StageContext } from './stage-context.ts';

/** Makes port calls take effect and return at times, and with faults, that follow from the history's seed. */
export interface StageCalls extends PortTurns {
  /** The process whose call takes effect now. Undefined outside of the functions. */
  readonly current: string | undefined;
  /** Each kind of call that was made, as `function call`, with its possible faults. */
  readonly possibleFaults: ReadonlyMap<string, ReadonlySet<Fault>>;
  /** Makes every call of a part end like this until then. */
  startOutage(part: Part, how: OutageKind, untilMs: number): void;
  /** The end of a part's current outage, if there is one. */
  unavailableUntil(part: Part): number | undefined;
  /** Whether a fault happens in an operation that another service performs for a function. */
  hasFault(name: FunctionName, label: string, fault: Fault): boolean;
  /** Makes the calls of a process known. */
  admit(process: StageProcess): void;
  readonly isClosed: boolean;
  /** Runs something on behalf of a process. */
  as<Answer>(process: string, perform: () => Answer): Answer;
  /** Fails every open call, so that nothing outlives the run. */
  close(): void;
}

export interface StageCallsOptions {
  readonly context: StageContext;
  /** The ids of the only faults that happen. @default those that are drawn */
  readonly faults: ReadonlySet<string> | undefined;
}

type Outcome = { readonly answer: unknown } | { readonly error: unknown };

interface OpenCall {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

const MAX_REQUEST_MS = 30;
const MAX_ANSWER_MS = 40;
/** The probability that a response arrives in the same millisecond as the effect. */
const AT_ONCE_RATE = 0.6;
/** As in the searches: longer than a series of attempts without a pause. */
const OUTAGE_OF_PROCESS_MS = 250;
const MAX_OVERDUE_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 10_000;

/** How many calls of a kind count as its first ones. */
const FIRST_CALLS = 4;

/** The choices about a call. */
const ASPECT = {
  request: 0,
  answer: 1,
  isAtOnce: 2,
  hasEffect: 3,
  overdue: 4,
  isRare: 5,
  rare: 6,
  flaky: 7,
  fault: 10,
} as const;

const isFlakyAt = ({ fromMs, forMs }: FlakyCall, atMs: number): boolean => (atMs - fromMs) % DAY_MS < forMs;

/** A call, and the faults that are possible at it. */
interface Possibility {
  readonly id: string;
  /** The kind of call: the function's name, a space, and the call. */
  readonly kind: string;
  readonly identity: number;
  readonly possible: readonly Fault[];
  readonly process?: StageProcess;
}

export const createStageCalls = ({ context, faults }: StageCallsOptions): StageCalls => {
  const { clock, agenda, draw, features } = context;
  const processes = new Map<string, StageProcess>();
  const counts = new Map<string, number>();
  const open = new Set<OpenCall>();
  const outages = new Map<Part, { readonly how: OutageKind; readonly untilMs: number }>();
  const possibleFaults = new Map<string, Set<Fault>>();
  /** How often each kind of call was made. */
  const kindCounts = new Map<string, number>();
  const { rareCallFaultRate = 0, flakyCall } = features;
  const rates = Object.entries(features.faultRates) as readonly (readonly [Fault, number])[];
  let current: string | undefined;
  let isClosed = false;

  const as = <Answer>(process: string, perform: () => Answer): Answer => {
    const before = current;
    current = process;
    try {
      return perform();
    } finally {
      current = before;
    }
  };
  const attempt = (process: string, perform: () => unknown): Outcome => {
    try {
      return { answer: as(process, perform) };
    } catch (error) {
      return { error };
    }
  };

  /** Numbers the calls of a function with the same subject, to identify this one. */
  const identify = (name: FunctionName, label: string): string => {
    const about = `${name} ${subjectOf(label)}`;
    const count = (counts.get(about) ?? 0) + 1;
    counts.set(about, count);
    return `${about} ${count}`;
  };

  /** Counts a call and records the possible faults of its kind. */
  const notePossible = ({ kind, possible }: Possibility): void => {
    kindCounts.set(kind, (kindCounts.get(kind) ?? 0) + 1);
    const known = possibleFaults.get(kind);
    if (known === undefined) possibleFaults.set(kind, new Set(possible));
    else if (known.size < FAULTS.length) for (const fault of possible) known.add(fault);
  };

  const recordFault = (id: string, name: FunctionName, label: string, fault: Fault, process?: string): void =>
    context.record({ kind: 'fault', id: `${id} ${fault}`, function: name, call: kindOf(label), fault }, process);

  const faultAt = ({ id, kind, identity, possible, process }: Possibility): Fault | undefined => {
    if (faults) {
      for (const fault of possible) if (faults.has(`${id} ${fault}`)) return fault;
      return undefined;
    }
    if (context.isCalm || process?.isSpared === true) return undefined;
    const isFlaky = kind === flakyCall?.name && possible.includes('fails-before') && isFlakyAt(flakyCall, clock.ms);
    if (isFlaky && draw.fraction(identity, ASPECT.flaky) < flakyCall.rate) return 'fails-before';
    const isFirstOfKind = (kindCounts.get(kind) ?? 0) <= FIRST_CALLS;
    if (isFirstOfKind && draw.fraction(identity, ASPECT.isRare) < rareCallFaultRate) {
      return possible[Math.floor(draw.fraction(identity, ASPECT.rare) * possible.length)];
    }
    for (const [index, [fault, rate]] of rates.entries()) {
      if (rate > 0 && possible.includes(fault) && draw.fraction(identity, ASPECT.fault + index) < rate) return fault;
    }
    return undefined;
  };

  const outageOf = (part: Part | undefined): OutageKind | undefined => {
    if (part === undefined) return undefined;
    const outage = outages.get(part);
    return outage !== undefined && clock.ms < outage.untilMs ? outage.how : undefined;
  };

  const makeCall = (process: StageProcess, call: PortCall<unknown>, opened: OpenCall): void => {
    const { perform, failures = {}, label, timeoutMs = DEFAULT_TIMEOUT_MS, takesMs = 0 } = call;
    const name = process.function;
    const id = identify(name, label);
    const identity = draw.identify(id);
    const possibility = { id, kind: `${name} ${kindOf(label)}`, identity, possible: faultsOfCall(call), process };
    notePossible(possibility);
    const fault = faultAt(possibility);
    const fraction = (aspect: number) => draw.fraction(identity, aspect);
    const answerMs =
      takesMs +
      (fraction(ASPECT.isAtOnce) < AT_ONCE_RATE ? 0 : 1 + Math.floor(fraction(ASPECT.answer) ** 3 * MAX_ANSWER_MS));

    const answer = (outcome: Outcome, afterMs: number): void => {
      const deliver = () => {
        if (process.isDead) return;
        open.delete(opened);
        if ('error' in outcome) opened.reject(outcome.error);
        else opened.resolve(outcome.answer);
      };
      if (afterMs === 0) deliver();
      else agenda.add(clock.ms + afterMs, identity + 1, deliver);
    };
    const unavailable = (): Outcome => ({ error: new Error(`${label}: the service is unavailable.`) });
    const timedOut = (): Outcome => ({
      error: Object.assign(new Error(`${label}: no answer.`), { name: 'TimeoutError' }),
    });

    const inOutage = (how: OutageKind): void => {
      const hasEffect = fraction(ASPECT.hasEffect) < 0.5;
      const end = call.outages?.[how];
      if (end) {
        const outcome = attempt(process.name, () => end(hasEffect));
        answer(outcome, how === 'unanswered' ? timeoutMs : answerMs);
      } else if (how === 'unanswered') {
        if (hasEffect) attempt(process.name, perform);
        answer(timedOut(), timeoutMs);
      } else answer(unavailable(), answerMs);
    };

    const withFault = (happening: Fault): void => {
      recordFault(id, name, label, happening, process.name);
      const fail = failures[happening];
      switch (happening) {
        case 'dies-before':
          process.end('died');
          return;
        case 'dies-after':
          attempt(process.name, perform);
          process.end('died');
          return;
        case 'late':
          // The response arrives after Lambda has ended the process.
          attempt(process.name, perform);
          return;
        case 'outage':
          process.tableUnavailableUntilMs = clock.ms + OUTAGE_OF_PROCESS_MS;
          answer(unavailable(), answerMs);
          return;
        case 'overdue':
          happenLater({ process: process.name, label, key: id, perform });
          answer(timedOut(), timeoutMs);
          return;
        case 'repeated':
          happenLater({ process: process.name, label, key: id, perform });
          answer(attempt(process.name, perform), answerMs);
          return;
        default:
          answer(fail ? attempt(process.name, () => fail(perform)) : unavailable(), answerMs);
          return;
      }
    };

    agenda.add(clock.ms + 1 + Math.floor(fraction(ASPECT.request) ** 3 * MAX_REQUEST_MS), identity, () => {
      const how = outageOf(call.part);
      // What a process has sent takes effect even if the process has ended since.
      if (how !== undefined) inOutage(how);
      else if (call.part === 'table' && clock.ms < process.tableUnavailableUntilMs) answer(unavailable(), answerMs);
      else if (fault !== undefined && !process.isDead) withFault(fault);
      else answer(attempt(process.name, perform), answerMs);
    });
  };

  const happenLater: PortTurns['happenLater'] = ({ process, key, perform }) => {
    const identity = draw.identify(key);
    const ms = 1 + Math.floor(draw.fraction(identity, ASPECT.overdue) ** 2 * MAX_OVERDUE_MS);
    agenda.add(clock.ms + ms, identity, () => attempt(process, perform));
  };

  return {
    get current() {
      return current;
    },
    get isClosed() {
      return isClosed;
    },
    possibleFaults,
    startOutage(part, how, untilMs) {
      outages.set(part, { how, untilMs });
    },
    unavailableUntil: (part) => (outageOf(part) === undefined ? undefined : outages.get(part)?.untilMs),
    hasFault(name, label, fault) {
      const id = identify(name, label);
      const possibility = { id, kind: `${name} ${kindOf(label)}`, identity: draw.identify(id), possible: [fault] };
      notePossible(possibility);
      if (faultAt(possibility) === undefined) return false;
      recordFault(id, name, label, fault);
      return true;
    },
    admit(process) {
      processes.set(process.name, process);
    },
    as,
    call: <Answer>(call: PortCall<Answer>) =>
      new Promise<Answer>((resolve, reject) => {
        if (isClosed) return reject(new Error('The run has ended.'));
        const process = processes.get(call.process);
        if (process === undefined) return reject(new Error(`There is no process ${call.process}.`));
        // The promise is only resolved with what this call's own `perform` or failure returned.
        const opened: OpenCall = { resolve: (answer) => resolve(answer as Answer), reject };
        open.add(opened);
        if (!process.isDead) makeCall(process, call as PortCall<unknown>, opened);
      }),
    sleep: (name, ms) =>
      new Promise((resolve) => {
        const process = processes.get(name);
        const order = draw.identify(`${name} ${clock.ms}`);
        agenda.add(clock.ms + Math.ceil(ms), order, () => {
          if (process?.isDead === false) resolve();
        });
      }),
    happenLater,
    close() {
      isClosed = true;
      for (const { reject } of open) reject(new Error('The run has ended.'));
      open.clear();
    },
  };
};

const faultsOfCall = ({ failures = {}, part, canEndProcess }: PortCall<unknown>): readonly Fault[] => {
  const isOnAws = part !== undefined && part !== 'chat-service';
  return [
    // The keys of `failures` are names of faults.
    ...(Object.keys(failures) as Fault[]),
    ...(part === 'table' ? (['outage'] as const) : []),
    ...(isOnAws && canEndProcess ? (['overdue', 'repeated'] as const) : []),
    ...(canEndProcess ? (['dies-before', 'dies-after', 'late'] as const) : []),
  ];
};

/** The subject of a call, without ids that differ between runs of similar histories. */
const subjectOf = (label: string): string => label.replace(/(AUDIT|DEADLETTER|ERASURE)#\S+/g, '$1');

/** The kind of a call, without its subject. */
export const kindOf = (label: string): string => {
  const known = kinds.get(label);
  if (known !== undefined) return known;
  const kind = label
    .replace(/#\S+/g, '')
    // A call that reads several items of a kind is one kind of call.
    .replace(/(\S+)(?: and \1)+(?!\S)/g, '$1')
    .replace(/ \d[\d, ]*s$/, '')
    .replace(/^((?:un)?schedule|publish) .*/, '$1');
  if (kinds.size > MAX_KINDS) kinds.clear();
  kinds.set(label, kind);
  return kind;
};

const kinds = new Map<string, string>();
const MAX_KINDS = 100_000;
