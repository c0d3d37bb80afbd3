/** The two dead-letter queues: of requests that cannot be sent, and of events that cannot be read. */
export type DeadLetterQueue = 'send' | 'inbound';

/** How many messages each queue holds, those in flight included. */
export type QueueDepths = { send: number; sendDeadLetters: number; inbound: number; inboundDeadLetters: number };

/** A request to send, as the customer's table has it. */
export type SendSummary = {
  requestId: string;
  /** The user's address as the request names it, where it can be read. */
  platformContactId?: string;
  state: string;
  /** The latest time that the item names. */
  at?: string;
  /** Of a refusal. */
  code?: string;
  why?: string;
  messageId?: string;
};

/** What the customer's side keeps of one message or request. */
export type Trace = {
  /** The table's items, each with its keys; bodies as they stand there. */
  items: readonly Record<string, unknown>[];
  /** What its systems were told, oldest first; absent where nothing tells them. */
  busEvents?: readonly { at: string; type: string; detail: unknown }[];
};

export type DeadLetter = { id: string; body: string; reason?: string; groupId?: string; receiveCount: number };

/** What changed on the customer's side. */
export type MachineRoomChange =
  | { kind: 'send'; send: SendSummary }
  | { kind: 'queues'; depths: QueueDepths }
  /** Its systems were told of something. */
  | { kind: 'bus' }
  /** An item of a message or contact was written. */
  | { kind: 'item'; key: string; contact?: string };

/**
 * The customer's side of the service, as far as somebody who runs both on one machine may look into it: its table, its
 * queues, its decisions. The sandbox knows nothing of it; whoever runs that side gives it to the sandbox's console.
 */
export type MachineRoom = {
  /** The requests of one user, or of all, latest first; at most 200. */
  sends(platformContactId?: string): Promise<readonly SendSummary[]>;
  trace(of: { messageId: string } | { requestId: string }): Promise<Trace>;
  /** Puts a request on the send queue, as an internal system does; unread, so that a malformed one can be tried. */
  enqueue(body: string, fifo: { groupId: string; id: string }): Promise<void>;
  depths(): Promise<QueueDepths>;
  /** What stands in a dead-letter queue, without taking it; at most ten. */
  deadLetters(queue: DeadLetterQueue): Promise<readonly DeadLetter[]>;
  /** Moves what stands in a dead-letter queue back to where it came from; the result is how many. */
  redrive(queue: DeadLetterQueue): Promise<number>;
  /** Tells of changes until the returned function is called. */
  watch(listener: (change: MachineRoomChange) => void): () => void;
};
