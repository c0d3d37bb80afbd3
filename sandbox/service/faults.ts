import { contactKey } from './users.ts';

/** The endpoints of the contract. */
export const ENDPOINTS = ['message/v3', 'intent/v2', 'customer/checkChatContact'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** What happens to the API's next answers. */
export interface AnswerFault {
  /** How many calls it affects. */
  readonly count: number;
  /** Only calls of this endpoint. */
  readonly endpoint?: Endpoint;
  /** Only calls about this user. */
  readonly contact?: string;
  readonly status?: number;
  /** A string is sent as plain text, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** How long the answer is delayed, in real time. */
  readonly delayMs?: number;
  /** Resets the connection instead of answering, before the call is processed or after it. */
  readonly reset?: 'before' | 'after';
  /**
   * Whether the call is processed even though its answer fails.
   *
   * @default false with a status or a body, true with only a delay; with `reset`, its value decides
   */
  readonly accept?: boolean;
}

/** What happens to the next deliveries of events. */
export interface DeliveryFault {
  /** How many deliveries it affects. */
  readonly count: number;
  /** Each event is posted twice. */
  readonly double?: true;
  /** How long each event is delayed, in real time. */
  readonly holdMs?: number;
  /** Events are delayed until there are `count` of them, then posted in reverse order, one after another. */
  readonly reverse?: true;
}

/** The properties of an API call by which a fault selects it. */
export interface FaultTarget {
  readonly endpoint: Endpoint;
  readonly contact: string | undefined;
}

/** The faults to come. If several match, the oldest one applies. */
export interface Faults {
  add(faults: { answers?: AnswerFault; deliveries?: DeliveryFault }): void;
  /** Takes the fault for this call, and counts it; undefined if there is none. */
  takeForAnswer(call: FaultTarget): AnswerFault | undefined;
  /** Takes the fault for the next delivery, and counts it; undefined if there is none. */
  takeForDelivery(): (DeliveryFault & { readonly reversal?: Reversal }) | undefined;
  /** Lists the remaining faults; `count` is how many uses each has left. */
  list(): { answers: readonly AnswerFault[]; deliveries: readonly DeliveryFault[] };
  /** Removes every fault, and releases the deliveries that wait to be reversed. */
  clear(): void;
}

interface Pending<Fault> {
  fault: Fault;
  left: number;
}

export const createFaults = (): Faults => {
  let answers: Pending<AnswerFault>[] = [];
  let deliveries: Pending<DeliveryFault & { reversal?: Reversal }>[] = [];

  const unused = <Fault>(pending: readonly Pending<Fault>[]) => pending.filter(({ left }) => left > 0);
  const listed = <Fault>(pending: readonly Pending<Fault>[]) =>
    pending.map(({ fault, left: count }) => ({ ...fault, count }));

  return {
    add: (faults) => {
      if (faults.answers) answers.push({ fault: faults.answers, left: faults.answers.count });
      const { deliveries: fault } = faults;
      if (!fault) return;
      const reversal = fault.reverse && { reversal: createReversal(fault.count) };
      deliveries.push({ fault: { ...fault, ...reversal }, left: fault.count });
    },
    takeForAnswer: (call) => {
      const taken = answers.find(({ fault }) => matches(fault, call));
      if (taken === undefined) return undefined;
      taken.left -= 1;
      answers = unused(answers);
      return taken.fault;
    },
    takeForDelivery: () => {
      const [taken] = deliveries;
      if (taken === undefined) return undefined;
      taken.left -= 1;
      deliveries = unused(deliveries);
      return taken.fault;
    },
    list: () => ({
      answers: listed(answers),
      deliveries: listed(deliveries).map(({ reversal: _internal, ...fault }) => fault),
    }),
    clear: () => {
      for (const { fault } of deliveries) fault.reversal?.release();
      answers = [];
      deliveries = [];
    },
  };
};

const matches = ({ endpoint, contact }: AnswerFault, call: FaultTarget): boolean =>
  (endpoint === undefined || endpoint === call.endpoint) &&
  (contact === undefined || (call.contact !== undefined && contactKey(contact) === contactKey(call.contact)));

/** Lets a number of deliveries proceed in reverse order of arrival, one after another. */
interface Reversal {
  /** Resolves when it is this delivery's turn. The delivery calls `done` when it is over. */
  turn(): Promise<{ done(): void }>;
  /** Stops waiting for more deliveries. */
  release(): void;
}

const createReversal = (count: number): Reversal => {
  const waiting: ((turn: { done(): void }) => void)[] = [];
  let isReleased = false;

  const next = () => waiting.pop()?.({ done: next });
  return {
    turn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (isReleased || waiting.length === count) next();
      }),
    release: () => {
      isReleased = true;
      next();
    },
  };
};
