/** What a proxy does to one call. */
export const CALL_FAULTS = [
  /** Passes the call on late. If the caller has given up by then, the call takes effect anyway. */
  'late request',
  'late answer',
  /** Resets the connection without passing the call on. */
  'reset before',
  /** Passes the call on, then resets the connection instead of responding. */
  'reset after',
  /** Returns a throttling error without passing the call on. */
  'throttled',
  /** Returns a server error without passing the call on. */
  'failed before',
  /** Passes the call on, then returns a server error. */
  'failed after',
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

/** What a proxy does to all calls for several seconds: refuse connections, or not answer. */
export const OUTAGES = ['refused', 'unanswered'] as const;
export type Outage = (typeof OUTAGES)[number];

/** Faults of an invocation other than a killed process: Lambda does not start it, or its result is lost. */
export const INVOCATION_FAULTS = ['throttled', 'result lost'] as const;

/** Ways in which the bus reports an entry as failed: it has dropped the entry, or it has accepted it anyway. */
export const ENTRY_FAULTS = ['dropped', 'accepted'] as const;
export type EntryFault = (typeof ENTRY_FAULTS)[number];

/** Faults that the sandbox injects itself. */
export const SANDBOX_FAULTS = [
  'deliveries doubled',
  'deliveries held',
  'deliveries reversed',
  'answer 502',
  'answer 500 after accepting',
  'answer 503',
  'answer without an id',
  'answer unreadable',
  'answer 201: window closed',
  'answer 101: no credit',
  'answer 401',
  'problems',
  'reset before accepting',
  'reset after accepting',
] as const;
export type SandboxFault = (typeof SANDBOX_FAULTS)[number];

interface Part {
  readonly name: string;
  /** The share of the calls that get a fault. */
  readonly rate: number;
  /** The longest usual delay. One delay in five takes two to three seconds, which is longer than most timeouts. */
  readonly delayMs: number;
}

/** The connections between the parts, each behind its own proxy. Rarely used connections fail more often. */
export const PARTS = {
  dynamodb: { name: 'functions → DynamoDB', rate: 0.008, delayMs: 600 },
  sqs: { name: 'functions → SQS', rate: 0.08, delayMs: 600 },
  eventBridge: { name: 'functions → EventBridge', rate: 0.03, delayMs: 600 },
  scheduler: { name: 'functions → Scheduler', rate: 0.15, delayMs: 600 },
  secrets: { name: 'functions → Secrets Manager', rate: 0.5, delayMs: 600 },
  signingKeys: { name: 'functions → signing keys', rate: 0.35, delayMs: 600 },
  chatService: { name: 'functions → chat service', rate: 0.04, delayMs: 1_500 },
  webhook: { name: 'chat service → webhook', rate: 0.02, delayMs: 600 },
  queueMappings: { name: 'event source mappings → SQS', rate: 0.02, delayMs: 600 },
  streamMappings: { name: 'event source mappings → stream', rate: 0.02, delayMs: 600 },
} as const satisfies Record<string, Part>;
export type PartName = keyof typeof PARTS;

const isPartName = (name: string): name is PartName => Object.hasOwn(PARTS, name);
export const PART_NAMES: readonly PartName[] = Object.keys(PARTS).filter(isPartName);

export const INVOCATIONS = { name: 'invocations of functions', rate: 0.004 };
export const ENTRIES = { name: 'entries on the event bus', rate: 0.01 };
export const SANDBOX = { name: 'chat service' };

/** The functions whose processes are killed, by the start of their logical ids. */
export const KILLED_FUNCTIONS = ['Receiver', 'Sender', 'Publisher', 'Management'] as const;
export type KilledFunction = (typeof KILLED_FUNCTIONS)[number];
export const KILLED = 'process killed';
