import type { Deviation, Difference } from '../compare.ts';

type Listed = Readonly<Record<string, Deviation & Pick<Difference, 'reason'>>>;

const ELASTIC_MQ: Listed = {
  'FIFO: a receipt handle expires with the visibility timeout, for deletions and for visibility changes': {
    observed: { deleted: 'accepted', changed: 'ReceiptHandleIsInvalid', stillThere: [] },
    reason: 'A handle outlives its visibility timeout, so a slow consumer deletes the message. The error code differs.',
  },
  'FIFO: deleting a deleted message succeeds': {
    observed: ['accepted', 'ReceiptHandleIsInvalid'],
    reason: 'It refuses the handle of a deleted message.',
  },
  'deduplication: with the scope messageGroup, an id is unique within its group': {
    observed: ['a'],
    reason: 'It ignores DeduplicationScope.',
  },
  'dead letters: the dead-letter queue must exist and have the same type': {
    observed: ['accepted', 'QueueDoesNotExist', 'InvalidAttributeValue', 'InvalidAttributeValue'],
    reason: 'It accepts a standard dead-letter queue for a FIFO queue. For a missing queue, the error code differs.',
  },
  'retention: a message is deleted when its retention period ends, even in flight': {
    changes: { afterwards: ['in flight', 'visible'] },
    reason: 'It has no retention period: messages never expire.',
  },
  'retention: in a standard dead-letter queue, the period starts when the message is first enqueued': {
    changes: { afterwards: ['a'] },
    reason: 'It has no retention period: messages never expire.',
  },
  'retention: in a FIFO dead-letter queue, the period starts when the message is moved': {
    changes: { afterwards: ['a0'] },
    reason: 'It has no retention period: messages never expire.',
  },
  'visibility: only the timeout of a message in flight can be changed': {
    observed: { failed: 'SyntaxError' },
    reason: 'It returns this error in XML, which the SDK cannot parse.',
  },
  'visibility: at most 12 hours, counted from the receive': {
    observed: { tooLong: 'accepted', beyond: 'SyntaxError', within: 'SyntaxError' },
    reason: 'It has no limit of 12 hours, so the message is hidden before the case receives it.',
  },
  "receipt handles: in a standard queue, a deletion with an earlier receive's handle succeeds without effect": {
    changes: { deleted: 'ReceiptHandleIsInvalid' },
    reason: 'It refuses the handle of an earlier receive.',
  },
  'receipt handles: deleting a deleted message succeeds; a malformed handle is refused': {
    observed: ['accepted', 'ReceiptHandleIsInvalid', 'ReceiptHandleIsInvalid'],
    reason: 'It refuses the handle of a deleted message.',
  },
  'polling: up to ten messages, and up to 20 seconds': {
    observed: ['InvalidAttributeValue', 'InvalidAttributeValue', 'InvalidAttributeValue'],
    reason: 'The error codes differ.',
  },
  'purge: deletes visible, delayed, and in-flight messages, at most once in 60 seconds': {
    changes: { second: 'accepted' },
    reason: 'It does not limit how often a queue is purged.',
  },
  'messages: a body has at least one character, and only characters of XML 1.0': {
    changes: {
      'U+0000': 'InvalidAttributeValue',
      'U+001F': 'InvalidAttributeValue',
      'U+FFFE': 'InvalidAttributeValue',
      'U+FFFF': 'InvalidAction',
      empty: 'InvalidAttributeValue',
    },
    reason: 'It refuses the same bodies, but with different error codes.',
  },
  'messages: at most 1 MiB, attributes included': {
    changes: { 'one byte more': 'InvalidAttributeValue', 'with an attribute': 'accepted' },
    reason: 'It does not count the attributes, and the error code differs.',
  },
  'messages: at most MaximumMessageSize bytes': {
    changes: { 'one byte more': 'accepted' },
    reason: 'It ignores MaximumMessageSize.',
  },
  'attributes: at most ten': {
    observed: ['accepted', 'InvalidAttributeValue'],
    reason: 'The error code differs.',
  },
  'attributes: names of letters, digits, underscores, hyphens, and periods, in the right places': {
    observed: ['a.b-c_1', '256 letters', '257 letters', 'AWS.x', 'aMaZon.x', '.a', 'a.', 'a..b', 'a b', 'ñ'],
    reason: 'It does not check the names.',
  },
  'attributes: types may have custom labels, and values must not be empty': {
    changes: {
      'empty text': 'InvalidAttributeValue',
      'no number': 'InvalidAttributeValue',
      'no value': 'MissingParameter',
      'character that SQS refuses': 'InvalidAttributeValue',
    },
    reason: 'It refuses the same values, but with different error codes.',
  },
  'attributes: a receive returns those that it requests, with their digest': {
    observed: [
      {
        names: ['other', 'trace.bytes', 'trace.id'],
        system: ['SentTimestamp'],
        digest: '4d1cd200b6aaaa7b5d110866adf07783',
      },
      { names: [], system: ['SentTimestamp'] },
      { names: ['other'], system: ['SentTimestamp'], digest: '0a9fba5661968c02763ab739b38d2163' },
      { names: [], system: ['SentTimestamp'] },
    ],
    reason: 'It does not support prefixes such as trace.*.',
  },
  'batches: one to ten entries with distinct ids, at most 1 MiB in total': {
    changes: {
      none: 'accepted',
      'id with a space': 'accepted',
      'id of 81 characters': 'accepted',
      'over 1 MiB': 'InvalidAttributeValue',
    },
    reason: 'It accepts an empty batch and any entry ID. For the size, the error code differs.',
  },
  'batches: a failed visibility change does not affect the others': {
    changes: {
      successful: ['given-back', 'too-long', 'extended'],
      failed: [['malformed', 'ReceiptHandleIsInvalid', true]],
    },
    reason: 'It has no limit of 12 hours.',
  },
  'queues: names of 1 to 80 letters, digits, hyphens, and underscores; .fifo only for FIFO queues': {
    changes: {
      '81 characters': 'InvalidAttributeName',
      'a space': 'InvalidAttributeName',
      'FIFO without .fifo': 'InvalidAttributeName',
      '.fifo without FIFO': 'InvalidAttributeName',
    },
    reason: 'It refuses the same names, but with a different error code.',
  },
  'queues: attributes within their ranges and for the right type of queue': {
    changes: {
      visibility: 'accepted',
      retention: 'accepted',
      delay: 'accepted',
      size: 'accepted',
      unknown: 'accepted',
      'FIFO attribute': 'accepted',
    },
    reason: 'It checks only ReceiveMessageWaitTimeSeconds and ignores unknown attributes.',
  },
  'queues: message counts, and the attributes that a request names': {
    changes: { named: { DelaySeconds: '0' }, unknown: 'accepted' },
    reason: 'It does not return MaximumMessageSize and ignores unknown names.',
  },
  'redrive: messages return to the queue that they came from, as new messages that were never received': {
    changes: { areNew: false },
    reason: 'A moved message keeps its ID.',
  },
  'redrive: without a destination, a task fails at a message that an application put in the dead-letter queue': {
    observed: { status: 'COMPLETED', reason: undefined, left: [] },
    reason: 'It moves the message to the queue that uses the dead-letter queue.',
  },
  'redrive: from a dead-letter queue to another queue of the same type, with 1 to 500 messages per second': {
    changes: {
      'no such source': 'QueueDoesNotExist',
      'no such destination': 'QueueDoesNotExist',
      'the same queue': 'accepted',
      'another type': 'accepted',
      'too slow': 'accepted',
      'too fast': 'accepted',
    },
    reason: 'It does not check the destination and the rate. For a missing queue, the error code differs.',
  },
  'redrive: a queue has one task at a time; a cancelled one leaves the rest where it is': {
    observed: {
      running: ['RUNNING', true, 1],
      second: 'refused',
      isPartial: false,
      isStopped: true,
      again: 'refused',
      unknown: 'ResourceNotFoundException',
    },
    reason: 'It does not list a cancelled task.',
  },
  'redrive: in a FIFO queue, messages keep their group and its order': {
    observed: { bodies: [], groups: [], left: ['a0', 'a1'] },
    reason: 'It does not move the messages of a FIFO queue.',
  },
  'redrive: a list has the newest task first, one by default and ten at most': {
    changes: { newest: [1, 0], 'too few': 'accepted', 'too many': 'accepted' },
    reason: 'It lists all tasks, whatever MaxResults is.',
  },
};

const MOTO: Listed = {
  'FIFO: a receive returns as many messages of one group as it can before those of another group': {
    observed: ['a0', 'b0'],
    reason: 'It returns messages in the order in which they arrived, whatever their group.',
  },
  'FIFO: a receipt handle expires with the visibility timeout, for deletions and for visibility changes': {
    observed: { deleted: 'accepted', changed: 'ReceiptHandleIsInvalid', stillThere: [] },
    reason: 'A handle outlives its visibility timeout, so a slow consumer deletes the message. The error code differs.',
  },
  'FIFO: sequence numbers increase': {
    observed: false,
    reason: 'It chooses them at random.',
  },
  "deduplication: a repeated send returns the first message's id and adds no message": {
    changes: { isFirst: false },
    reason: 'It returns a new message ID for a message that it drops.',
  },
  'deduplication: an id still applies after its message is received and deleted': {
    observed: ['second'],
    reason: 'It forgets the ID of a deleted message.',
  },
  'deduplication: with the scope messageGroup, an id is unique within its group': {
    observed: ['a'],
    reason: 'It ignores DeduplicationScope.',
  },
  'dead letters: a message that was received maxReceiveCount times is moved, unchanged, at the next receive': {
    changes: { isSourceNamed: false },
    reason: 'It does not return the source queue.',
  },
  'dead letters: the dead-letter queue must exist and have the same type': {
    observed: ['InvalidParameterCombination', 'QueueDoesNotExist', 'accepted', 'accepted'],
    reason: 'It uses different error codes and does not check maxReceiveCount.',
  },
  'retention: in a FIFO dead-letter queue, the period starts when the message is moved': {
    changes: { kept: [] },
    reason: 'The period starts when the message is first enqueued, as in a standard queue.',
  },
  'visibility: only the timeout of a message in flight can be changed': {
    changes: { visible: 'accepted', deleted: 'ReceiptHandleIsInvalid' },
    reason: 'It changes the timeout of messages that are not in flight. For a deleted message, the error code differs.',
  },
  "receipt handles: in a standard queue, a deletion with an earlier receive's handle succeeds without effect": {
    observed: { failed: 'ReceiptHandleIsInvalid' },
    reason: 'It refuses the handle of an earlier receive, even after the message is released with a new handle.',
  },
  'messages: group ids have 1 to 128 letters, digits, and punctuation characters': {
    changes: {
      'of 129 characters': 'accepted',
      'with a space': 'accepted',
      'not ASCII': 'accepted',
      empty: 'accepted',
    },
    reason: 'It does not check group IDs.',
  },
  'messages: deduplication ids have 1 to 128 letters, digits, and punctuation characters': {
    changes: { 'of 129 characters': 'accepted', 'with a space': 'accepted', 'not ASCII': 'accepted' },
    reason: 'It checks only that the ID is not empty.',
  },
  'messages: a standard queue accepts a group id for fairness, no deduplication id, and a delay of up to 900 s': {
    changes: { 'deduplication id': 'accepted' },
    reason: 'It accepts a deduplication ID in a standard queue.',
  },
  'messages: a body has at least one character, and only characters of XML 1.0': {
    changes: {
      'U+0000': 'accepted',
      'U+001F': 'accepted',
      'U+FFFE': 'accepted',
      'U+FFFF': 'accepted',
      empty: 'accepted',
    },
    reason: 'It does not check the body.',
  },
  'messages: at most 1 MiB, attributes included': {
    changes: { 'with an attribute': 'accepted' },
    reason: 'It does not count the attributes.',
  },
  'attributes: at most ten': {
    observed: ['accepted', 'accepted'],
    reason: 'It does not count attributes.',
  },
  'attributes: names of letters, digits, underscores, hyphens, and periods, in the right places': {
    observed: ['a.b-c_1', '256 letters', '257 letters', 'AWS.x', 'aMaZon.x', '.a', 'a.', 'a..b'],
    reason: 'It checks only the characters, not their positions, the length, or the reserved prefixes.',
  },
  'attributes: types may have custom labels, and values must not be empty': {
    changes: {
      'empty text': 'accepted',
      'no number': 'accepted',
      'no value': 'accepted',
      'character that SQS refuses': 'accepted',
    },
    reason: 'It checks only the type.',
  },
  'batches: a refused message does not affect the others': {
    observed: { successful: ['first', 'refused', 'last'], failed: [], bodies: ['first', 'refused', 'last'] },
    reason: 'It does not check group IDs, so the entry does not fail.',
  },
  'queues: names of 1 to 80 letters, digits, hyphens, and underscores; .fifo only for FIFO queues': {
    changes: { '.fifo without FIFO': 'accepted' },
    reason: 'It accepts the suffix .fifo for a standard queue.',
  },
  'queues: attributes within their ranges and for the right type of queue': {
    changes: {
      visibility: 'accepted',
      retention: 'accepted',
      delay: 'accepted',
      wait: 'accepted',
      unknown: 'accepted',
      'FIFO attribute': 'accepted',
    },
    reason: 'It checks only the maximum message size and ignores unknown attributes.',
  },
  "dead letters: in a FIFO dead-letter queue, a message's deduplication id is its message id": {
    observed: { isMessageId: false },
    reason: 'The message keeps its deduplication ID.',
  },
  'redrive: from a dead-letter queue to another queue of the same type, with 1 to 500 messages per second': {
    changes: { 'no such source': 'SyntaxError', 'no such destination': 'SyntaxError' },
    reason: 'It does not support message movement tasks.',
  },
};

/** The cases of message movement tasks in which moto's answer cannot be read. */
const NO_MOVE_TASKS = [
  'redrive: messages return to the queue that they came from, as new messages that were never received',
  'redrive: with a destination, a task also moves messages that an application put in the dead-letter queue',
  'redrive: without a destination, a task fails at a message that an application put in the dead-letter queue',
  'redrive: a queue has one task at a time; a cancelled one leaves the rest where it is',
  'redrive: in a FIFO queue, messages keep their group and its order',
  'redrive: the retention period of a moved message starts again',
  'redrive: a list has the newest task first, one by default and ten at most',
];

const listed = (reference: Difference['reference'], differences: Listed): readonly Difference[] =>
  Object.entries(differences).map(([name, difference]) => ({ reference, case: name, ...difference }));

/** Every difference between the references and what AWS documents. */
export const DIFFERENCES: readonly Difference[] = [
  ...listed('ElasticMQ', ELASTIC_MQ),
  ...listed('moto', MOTO),
  ...NO_MOVE_TASKS.map((name): Difference => {
    const reason = 'It does not support message movement tasks.';
    return { reference: 'moto', case: name, observed: { failed: 'SyntaxError' }, reason };
  }),
];
