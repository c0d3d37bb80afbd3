import type { Fault } from '../world/faults.ts';
import type { FunctionName } from './ledger.ts';

const ENDS: readonly Fault[] = ['dies-before', 'dies-after', 'late'];
const LOST: readonly Fault[] = ['fails-before', 'fails-after'];
const DELAYED: readonly Fault[] = ['overdue', 'repeated'];

/** The faults that are possible at each kind of call. */
const FAULTS_AT = {
  table: [...LOST, ...DELAYED, 'outage', ...ENDS],
  queue: [...LOST, ...DELAYED, ...ENDS],
  scheduler: [...LOST, ...DELAYED, ...ENDS],
  bus: [...LOST, ...DELAYED, 'partial', ...ENDS],
  chatService: [...LOST, 'refused', 'garbage', ...ENDS],
  secret: ['fails-before', ...ENDS],
  response: ENDS,
  /** Lambda deletes the messages of a batch that the function handled. */
  deletion: ['fails-before'],
} as const satisfies Record<string, readonly Fault[]>;

type PortKind = keyof typeof FAULTS_AT;

const drainedFrom = (queues: readonly string[]): readonly string[] =>
  queues.flatMap((queue) => [`receive from ${queue}`, `delete from ${queue}`, `set the visibility in ${queue} to`]);

const countOf = (queues: readonly string[]): readonly string[] => queues.map((queue) => `count ${queue}`);

const DEAD_LETTERS = [
  'sendDeadLetters',
  'bulkDeadLetters',
  'inboundDeadLetters',
  'scheduleDeadLetters',
  'erasureDeadLetters',
] as const;
const SEARCHED = [...DEAD_LETTERS, 'publishFailures'] as const;

const EVENT_WRITES = [
  'write CONTACT',
  'write CUSTOMER',
  'write MESSAGE',
  'write MESSAGE and CONTACT',
  'write CHANNELS',
  'write TRANSACTION',
  'write UNKNOWN',
  'write SEND as accepted',
  'write SEND as failed',
] as const;

/** Every call that each function makes, by what it calls, as the ledger names it. */
const PORT_CALLS: Readonly<Record<FunctionName, Readonly<Partial<Record<PortKind, readonly string[]>>>>> = {
  receive: {
    table: EVENT_WRITES,
    queue: ['defer the request', 'quarantine the request', 'queue the confirmation'],
    response: ['respond'],
  },
  drain: {
    table: EVENT_WRITES,
    queue: ['quarantine the request', 'queue the confirmation', 'set the visibility to'],
    response: ['respond'],
    deletion: ['delete from inbound'],
  },
  send: {
    table: [
      'read CONTACT',
      'read CONTACT and ACCOUNT',
      'read CUSTOMER',
      'read ACCOUNT',
      'read MESSAGE',
      'read SEND',
      'write CONTACT',
      'write MESSAGE',
      'write CHANNELS',
      'write TRANSACTION',
      'write ACCOUNT',
      'write ACCOUNT as open',
      'write ACCOUNT as closed',
      'write SEND',
      'write SEND as scheduled',
      'write SEND as claimed',
      'write SEND as waiting',
      'write SEND as accepted',
      'write SEND as refused',
      'write SEND as rejected',
      'write SEND as expired',
      'write SEND as uncertain',
      'write SEND as failed',
    ],
    queue: ['put on the dead-letter queue', 'set the visibility to'],
    scheduler: ['schedule', 'unschedule'],
    chatService: ['call message/v3', 'call intent/v2', 'call customer/checkChatContact'],
    secret: ['read the access token'],
    response: ['respond'],
    deletion: ['delete from send', 'delete from bulk'],
  },
  publish: { bus: ['publish'], table: ['read MESSAGE'], queue: ['put on turns'], response: ['respond'] },
  'end-turn': {
    table: ['delete CONTACT'],
    queue: ['set the visibility in turns to'],
    response: ['respond'],
    deletion: ['delete from turns'],
  },
  manage: {
    table: [
      'read CHANNELS',
      'read CONTACT',
      'read CUSTOMER',
      'read SEND',
      'read DEADLETTER',
      'read ACCOUNT',
      'query byState',
      'write ACCOUNT',
      'write CONTACT',
      'write CUSTOMER',
      'write MESSAGE',
      'write CHANNELS',
      'write AUDIT',
      'write ERASURE as running',
      'write SEND as queued',
      'write SEND as waiting',
      'write SEND as accepted',
      'write SEND as rejected',
      'write SEND as failed',
      'write SEND as cancelled',
      'delete DEADLETTER',
    ],
    queue: [
      'put on send',
      'put on bulk',
      'put on inbound',
      'put on erasures',
      ...drainedFrom(['sendDeadLetters', 'bulkDeadLetters', 'inboundDeadLetters']),
    ],
    scheduler: ['unschedule'],
    response: ['respond'],
  },
  erase: {
    table: [
      'read CHANNELS',
      'read CONTACT',
      'read CUSTOMER',
      'read MESSAGE',
      'read SEND',
      'read ERASURE',
      'read DEADLETTER',
      'query byContact',
      'write CONTACT',
      'write CUSTOMER',
      'write CHANNELS',
      'write MESSAGE',
      'write DEADLETTER',
      'write DEADLETTER PART',
      'write AUDIT',
      'write ERASURE as running',
      'write ERASURE as done',
      'write SEND',
      'write SEND as cancelled',
      'write SEND as uncertain',
      'delete CONTACT',
      'delete CUSTOMER',
      'delete MESSAGE',
      'delete DEADLETTER',
    ],
    queue: [...countOf(SEARCHED), ...drainedFrom(SEARCHED), 'set the visibility in erasures to'],
    scheduler: ['unschedule'],
    response: ['respond'],
    deletion: ['delete from erasures'],
  },
  keep: {
    table: ['query byState', 'read DEADLETTER', 'write DEADLETTER', 'write DEADLETTER PART'],
    queue: [...countOf(DEAD_LETTERS), ...drainedFrom(DEAD_LETTERS)],
    response: ['respond'],
  },
};

/** The faults that are possible at each call, by `function call`. */
export const DECLARED_FAULTS: ReadonlyMap<string, readonly Fault[]> = new Map(
  Object.entries(PORT_CALLS).flatMap(([name, calls]) =>
    Object.entries(calls).flatMap(([kind, labels = []]) =>
      // The keys of the object literal are those of its type.
      labels.map((label) => [`${name} ${label}`, FAULTS_AT[kind as PortKind]] as const),
    ),
  ),
);
