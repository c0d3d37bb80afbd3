/** A value of a message attribute. */
export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string | undefined;
  /** In base64. */
  readonly BinaryValue?: string | undefined;
}

export interface QueueSettings {
  readonly name: string;
  readonly arn: string;
  readonly isFifo: boolean;
  /** Whether the deduplication ID defaults to a hash of the body. */
  readonly contentBasedDeduplication: boolean;
  /** The scope in which a deduplication ID is unique. */
  readonly deduplicationScope: 'queue' | 'messageGroup';
  readonly delaySeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  /** How long a receive waits for a message if the request does not specify it. */
  readonly receiveWaitSeconds: number;
  /** The maximum size of the body and the attributes together. */
  readonly maximumMessageBytes: number;
  readonly redrive?: { readonly deadLetterQueueArn: string; readonly maxReceiveCount: number } | undefined;
}

export interface MessageToSend {
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
  /** @default the queue's delay */
  readonly delaySeconds?: number | undefined;
}

export interface SentMessage {
  readonly messageId: string;
  /** Only in FIFO queues. */
  readonly sequenceNumber?: string | undefined;
}

export interface ReceivedMessage extends SentMessage, Omit<MessageToSend, 'delaySeconds'> {
  readonly receiptHandle: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** Milliseconds since the epoch. */
  readonly firstReceivedAt: number;
  readonly receiveCount: number;
  /** The queue whose redrive policy moved the message here. */
  readonly deadLetterQueueSourceArn?: string | undefined;
}

/** The result of a receive. A queue with too many messages in flight returns none. */
export type ReceiveResult =
  | { readonly kind: 'received'; readonly messages: readonly ReceivedMessage[] }
  | { readonly kind: 'over-limit' };

/** Why a queue does not accept a receipt handle. */
export type ReceiptFault = 'malformed' | 'deleted' | 'expired' | 'not-in-flight' | 'beyond-12-hours';

/** Numbers of messages. */
export interface QueueDepths {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** What SQS reports about a queue every minute. */
export interface QueueGauges {
  readonly name: string;
  readonly visible: number;
  /** The age of the oldest message that was received less than three times. Undefined if there is none. */
  readonly oldestSeconds: number | undefined;
}

export interface ReceiveOptions {
  readonly max: number;
  /** @default the queue's visibility timeout */
  readonly visibilityTimeoutSeconds?: number | undefined;
}

/** A queue of the emulator. Its methods return the faults that SQS documents instead of throwing them. */
export interface Queue {
  readonly settings: QueueSettings;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  send(message: MessageToSend): SentMessage;
  receive(options: ReceiveOptions): ReceiveResult;
  /** Deletes a message. Returns the fault, if any. */
  delete(receiptHandle: string): ReceiptFault | undefined;
  /** Sets how long a received message stays invisible from now on. Returns the fault, if any. */
  changeVisibility(receiptHandle: string, seconds: number): ReceiptFault | undefined;
  /** Deletes every message. Returns false if the last purge was less than 60 seconds ago. */
  purge(): boolean;
  depths(): QueueDepths;
  /** Returns what SQS would have reported at a time since the last change of the queue. */
  gauges(at: number): QueueGauges;
  /** Returns when the next hidden message becomes visible. Returns undefined if none is hidden. */
  nextVisibleAt(): number | undefined;
}
