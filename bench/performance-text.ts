import type { PerformancePart } from './part-names.ts';

/** The hand-written text of docs/performance.md. */
export interface PartText {
  readonly heading: string;
  /** What is measured, and how. Each string is a paragraph. */
  readonly paragraphs: readonly string[];
}

/** Stands above the summary. */
export const ANSWER =
  'Parley compared with the same service built the way tutorials show. Where less is better, a ratio below ×1 favors Parley.';

/** Stands below the summary. */
export const PEER =
  'The tutorial’s stack is in `bench/peers/tutorial`. It uses middy, Powertools (logger, metrics, tracer, idempotency, ' +
  'and batch processing), the DynamoDB document client, and CDK’s default bundling. It does less: it has no consents, ' +
  'circuit breaker, or quarantine. Measurements alternate between the stacks, so other load on the machine affects ' +
  'both alike. Only the ratios apply to other machines.';

export const PART_TEXTS: Readonly<Record<PerformancePart, PartText>> = {
  coldstart: {
    heading: 'Cold starts',
    paragraphs: [
      'The time from the start of a function’s process to its first successful answer. `receive` stores a message from a ' +
        'signed push, `send` sends a free-form message, `publish` publishes a new message, and `manage` reads a contact. ' +
        'All functions use the same runtime client and the variables from their templates, without a compile cache, and ' +
        'call emulators of AWS. On Lambda, downloading the code and starting the environment take additional time.',
      'The processor time includes all threads of the process. It depends less on other load, and on Lambda it determines ' +
        'how long a cold start takes if the function has little memory.',
    ],
  },
  warm: {
    heading: 'Warm invocations',
    paragraphs: [
      'The processor time for an inbound message, a status, or a send, in a function that has already handled hundreds, ' +
        'in a process that runs nothing else. Each has its own user and IDs; a status is Delivered or Read for a message ' +
        'that was sent before. All pushes use one token, because Pub/Sub reuses a token for up to an hour.',
    ],
  },
  load: {
    heading: 'Load',
    paragraphs: [
      'Events that the webhook acknowledges per second with several concurrent requests, and messages sent per second ' +
        'from the queue. Each stack runs on its own local cloud with at most four processes per function, so only the ' +
        'ratios are meaningful for Lambda.',
    ],
  },
  scale: {
    heading: 'Stored messages',
    paragraphs: [
      'What an inbound message costs if the table already holds up to a million others. The cost stays the same, because ' +
        'every write addresses its item by key, without queries or scans.',
    ],
  },
};

/** What was tried and left out. Each string is a list item. */
export const DID_NOT_HELP: readonly string[] = [
  'Replacing `fetch` while the bundle was an ES module: importing `node:http` loaded it anyway.',
  'Dynamic imports in a single file: esbuild then wraps every module that the imported ones share with the others, which ' +
    'made the bundle larger and no faster.',
  'Longer names: without shortened names, bundles are half as large again, but take as long to load.',
];

/** The effect of each change: its name, the cold start after it as a ratio, and the size of index.js in KB. */
export const LEVERS: readonly (readonly [lever: string, coldStartRatio: string, bundleKb: string])[] = [
  ['one minified ES module', '×0.68', '577'],
  ['keys by `node:https`, rarely needed clients on first use', '×0.67', '610'],
  ['CommonJS, those clients in files of their own, credentials from the environment', '×0.50', '350'],
  ['DynamoDB without the SDK’s client', '×0.38', '213'],
  ['function names, and tokens verified once', '×0.37', '227'],
];
