import type { z } from 'zod';
import { expiresSoon } from '../../lambdas/domain/access-token.ts';
import type { stageResponse } from '../../lambdas/manage/api/stage.ts';
import type { CommandFor } from '../base/command.ts';
import { explainError } from '../base/errors.ts';
import { describeExpiry } from '../base/human-time.ts';
import type { Target } from '../base/target.ts';
import {
  checkToken,
  hasNoCredit,
  isChannelInvalid,
  isPathUnknown,
  isTokenRefused,
  wasTokenReplaced,
} from '../operations/check-token.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import type { Finding } from './finding.ts';

type Stage = z.output<typeof stageResponse>;

const check = 'token';

/** Checks that the chat service accepts the access token for the business's number. */
export const checkAccessToken = async (
  target: Target,
  { chatChannelNumber }: Stage,
  api: ManagementClient,
  commandFor: CommandFor,
): Promise<readonly Finding[]> => {
  try {
    await checkToken(api, chatChannelNumber);
    return [{ check, grade: 'ok', message: 'The chat service responds and accepts the access token.' }];
  } catch (error) {
    const { message } = explainError(error);
    if (isTokenRefused(error)) return [await refusedToken(target, message, commandFor)];
    if (isChannelInvalid(error)) return [tokenOfOtherChannel(chatChannelNumber, message, commandFor)];
    return [{ check, grade: 'failing', message, remedy: remedyOf(error) }];
  }
};

/** A stage that was just deployed has no token yet, which is not a fault of the deployment. */
const refusedToken = async (target: Target, message: string, commandFor: CommandFor): Promise<Finding> => {
  const set = commandFor('parley token set');
  const replaced = await wasTokenReplaced(target).catch((error: unknown) => explainError(error, target));
  if (replaced === false) {
    return {
      check,
      grade: 'warning',
      message:
        'No access token is stored yet: the secret still contains the random placeholder from its creation, which the ' +
        'chat service refuses.',
      remedy: `Store the token from the chat service's console: ${set} < token.txt. Until then, messages are not sent.`,
    };
  }
  const unknown =
    replaced === true
      ? ''
      : ` Whether it was ever set is unknown: ${replaced.message} Allow secretsmanager:DescribeSecret; see ` +
        'docs/policies/operator.json.';
  const remedy = `Copy the token from the chat service's console and set it with ${set}.${unknown}`;
  return { check, grade: 'failing', message, remedy };
};

const remedyOf = (error: unknown): string => {
  if (hasNoCredit(error)) return "Add credit to the chat service's account. The access token is valid.";
  return isPathUnknown(error)
    ? "Set chatService.contactCheckPath: its last segment contains the platform's name, such as " +
        '"customer/checkWhatsAppContact". Also check chatService.baseUrl; see docs/provider.md.'
    : 'Is the chat service up, and does it know this channel number? If it writes numbers without a plus, set ' +
        'chatService.numberFormat to "digits". See the log of the manage function.';
};

const tokenOfOtherChannel = (chatChannelNumber: string, message: string, commandFor: CommandFor): Finding => ({
  check,
  grade: 'failing',
  message: `The chat service accepts the access token, but not for ${chatChannelNumber}. ${message}`,
  remedy: `Correct chatChannelNumber in cdk.json and deploy again, or set this number's token with ${commandFor('parley token set')}.`,
});

/** The expiry is what the token itself says. Returns no finding for a token that does not say when it expires. */
export const checkTokenExpiry = (
  { accessTokenExpiresAt }: Stage,
  commandFor: CommandFor,
  now: string,
): readonly Finding[] => {
  if (accessTokenExpiresAt === undefined) return [];
  const hasExpired = accessTokenExpiresAt <= now;
  const message = `The access token ${hasExpired ? 'expired' : 'expires'} on ${describeExpiry(accessTokenExpiresAt, now)}.`;
  if (!expiresSoon(accessTokenExpiresAt, now)) return [{ check, grade: 'ok', message }];
  const remedy = `Get a new token in the chat service's console and set it with ${commandFor('parley token set')}.`;
  return [{ check, grade: hasExpired ? 'failing' : 'warning', message, remedy }];
};
