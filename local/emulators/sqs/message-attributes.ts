import type { MessageAttribute } from './queue.ts';
import { SqsError } from './sqs-error.ts';

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_ATTRIBUTES = 10;

/**
 * Only the characters of XML 1.0 are allowed.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const INVALID_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const ATTRIBUTE_NAME = /^(?!AWS\.|Amazon\.|\.)(?!.*\.\.)[A-Z0-9_.-]{1,256}(?<!\.)$/i;
const DATA_TYPE = /^(?=.{1,256}$)(String|Number|Binary)(\..+)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(E[+-]?\d+)?$/i;
const MAX_DIGITS = 38;

/** @throws SqsError if a string has characters that SQS refuses. */
export const checkCharacters = (text: string): void => {
  if (!INVALID_CHARACTER.test(text)) return;
  throw new SqsError(
    'InvalidMessageContents',
    'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.',
  );
};

/**
 * Checks the number of attributes, their names, types, and values.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 *
 * @throws SqsError if SQS would refuse them.
 */
export const checkAttributes = (attributes: Readonly<Record<string, MessageAttribute>>): void => {
  const entries = Object.entries(attributes);
  if (entries.length > MAX_ATTRIBUTES) {
    throw invalid(`Number of message attributes [${entries.length}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`);
  }
  for (const [name, attribute] of entries) checkAttribute(name, attribute);
};

const checkAttribute = (name: string, { DataType, StringValue, BinaryValue }: MessageAttribute): void => {
  if (!ATTRIBUTE_NAME.test(name)) {
    throw invalid(
      `The message attribute name '${name}' is invalid. Names have 1 to 256 letters, digits, underscores, hyphens, and periods, and no period at either end or after another; they don't start with AWS. or Amazon.`,
    );
  }
  const type = DATA_TYPE.exec(DataType)?.[1];
  if (type === undefined) {
    throw invalid(
      `The message attribute '${name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`,
    );
  }
  const value = type === 'Binary' ? BinaryValue : StringValue;
  if (value === undefined || value === '') {
    throw invalid(`The message attribute '${name}' must contain a non-empty value of the type '${type}'.`);
  }
  if (StringValue !== undefined) checkCharacters(StringValue);
  if (type === 'Number' && !isNumber(value)) {
    throw invalid(`Can't cast the value of message attribute '${name}' to a number.`);
  }
};

const isNumber = (text: string): boolean =>
  NUMBER.test(text) && text.replace(/E.*/i, '').replaceAll(/\D|^[+-]?[0.]+/g, '').length <= MAX_DIGITS;

const invalid = (message: string): SqsError => new SqsError('InvalidParameterValue', message);
