import type { FaultList } from '../state/api.ts';

/** A fault in the API's answers or in webhook deliveries, with its settings. */
export type Fault = { readonly of: 'answers' | 'deliveries' } & Readonly<Record<string, unknown>>;

const RETRY_AFTER = { 'retry-after': '2' };
const errorAnswer = (code: number, message: string): Fault => ({
  of: 'answers',
  status: 403,
  body: { error: { code, message } },
});

export const FAULTS: readonly (readonly [label: string, fault: Fault])[] = [
  ['Return 503, Retry-After: 2', { of: 'answers', status: 503, headers: RETRY_AFTER }],
  ['Return 429, Retry-After: 2', { of: 'answers', status: 429, headers: RETRY_AFTER }],
  ['Return 401: invalid token', { of: 'answers', status: 401 }],
  ['Return 500: unknown outcome', { of: 'answers', status: 500 }],
  ['Return error 101: no credit', errorAnswer(101, 'Insufficient credit')],
  ['Return error 201: closed', errorAnswer(201, 'User window is over 24 hours')],
  ['Reset before accepting', { of: 'answers', reset: 'before' }],
  ['Reset after accepting', { of: 'answers', reset: 'after' }],
  ['Delay the response by 5 s', { of: 'answers', delayMs: 5_000 }],
  ['Deliver each event twice', { of: 'deliveries', double: true }],
  ['Delay each event by 5 s', { of: 'deliveries', holdMs: 5_000 }],
  ['Deliver in reverse order', { of: 'deliveries', reverse: true }],
];

/** Describes the pending faults, including those of other clients. */
export const describeFaults = ({ answers, deliveries }: FaultList): readonly string[] => [
  ...answers.map(({ count, endpoint, contact, ...settings }) =>
    [labelOf({ of: 'answers', ...settings }), endpoint, contact, timesLeft(count)].filter(Boolean).join(', '),
  ),
  ...deliveries.map(({ count, ...settings }) =>
    [labelOf({ of: 'deliveries', ...settings }), timesLeft(count)].join(', '),
  ),
];

const labelOf = (fault: Fault): string => {
  const known = FAULTS.find(([, one]) => sortedJson(one) === sortedJson(fault));
  if (known !== undefined) return known[0];
  const { of, ...settings } = fault;
  return `${of === 'answers' ? 'Response' : 'Delivery'} ${JSON.stringify(settings)}`;
};

const timesLeft = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** The order of the settings does not matter; that of the body stays as it is. */
const sortedJson = (fault: Fault): string =>
  JSON.stringify(Object.entries(fault).toSorted(([one], [other]) => (one < other ? -1 : 1)));
