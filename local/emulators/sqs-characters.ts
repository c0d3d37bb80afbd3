import { z } from 'zod';

/**
 * The characters that SQS refuses: those that XML 1.0 does not have.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const REFUSED = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const characterRule = z.object({ INVALID_MESSAGE_BODY_CHAR: z.instanceof(RegExp) });

/**
 * Has the emulator take every character that SQS takes: its own rule stops at U+FFFD and so refuses every emoji. The rule
 * is a constant inside of the package, so its one method is replaced.
 *
 * @throws when the package has no such rule any more; then this file has done its duty.
 */
export const takeAllCharacters = async (): Promise<void> => {
  const rules: unknown = await import(new URL('./sqs/sqsTypes.js', import.meta.resolve('fauxqs')).href);
  const { INVALID_MESSAGE_BODY_CHAR: rule } = characterRule.parse(rules);
  rule.test = (text) => REFUSED.test(text);
};
