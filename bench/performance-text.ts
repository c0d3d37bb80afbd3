import type { PartName } from './part-names.ts';

/** The hand-written text of docs/performance.md. */
export interface PartText {
  readonly heading: string;
  /** What is measured, and how. Each string is a paragraph. */
  readonly paragraphs: readonly string[];
}

/** Stands above the summary. */
export const ANSWER =
  'Parley beside the same service, built as a tutorial teaches it. Below ×1.00, Parley takes, or costs, less.';

/** Stands below the summary. */
export const PEER =
  'The tutorial’s stack is in `bench/peers/tutorial`: middy, Powertools’ logger, metrics, tracer, idempotency, and batch ' +
  'processing, the document client, and CDK’s defaults for bundling. It does less: it has no consents, no circuit ' +
  'breaker, and no quarantine. Stacks are measured in turns, so that other load on the machine affects both alike, and ' +
  'only the ratios carry over to other machines.';

export const PART_TEXTS: Readonly<Record<PartName, PartText>> = {
  coldstart: {
    heading: 'Cold starts',
    paragraphs: [
      'The time from the start of a function’s process to its first successful answer. `receive` stores a message from a ' +
        'signed push, `send` sends a free-form message, `publish` publishes a new message, and `manage` reads a contact. ' +
        'All functions run the same runtime client with the variables of their template, without a compile cache, on ' +
        'emulators of AWS. On Lambda, downloading the code and starting the environment come on top.',
      'The processor time includes every thread of the process. It depends less on what else the machine does, and on ' +
        'Lambda it decides how long a start takes with little memory.',
    ],
  },
  warm: {
    heading: 'Warm invocations',
    paragraphs: [
      'The processor time that an event costs a function that has handled hundreds of events before, in a process that ' +
        'runs nothing else. Every event has its own user and its own ids; a status is Delivered or Read of a message ' +
        'that was sent before. All pushes carry the same token, as those of Pub/Sub do for up to an hour.',
    ],
  },
  load: {
    heading: 'Load',
    paragraphs: [
      'Events that the webhook acknowledges per second, with several posts at once, and messages sent per second from ' +
        'the queue. Each stack runs on a local cloud of its own, with at most four processes per function, so only the ' +
        'ratios say something about Lambda.',
    ],
  },
  scale: {
    heading: 'Stored messages',
    paragraphs: [
      'What an inbound message costs when the table holds up to a million others. The cost stays the same: every write ' +
        'names its item, and nothing is searched.',
    ],
  },
  cost: {
    heading: 'Costs',
    paragraphs: [
      'What a million events cost at the list prices of us-east-1, from the counted calls, request units, bytes, and ' +
        'milliseconds of each stack.',
    ],
  },
};

/** What was tried and left out. Each string is a list item. */
export const DID_NOT_HELP: readonly string[] = [];

/** What each change to the functions gave: its name, the cold start after it as a ratio, and the KB of index.js. */
export const LEVERS: readonly (readonly [lever: string, coldStartRatio: string, bundleKb: string])[] = [];
