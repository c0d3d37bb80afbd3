import { BROADCAST_ID } from '../../lambdas/domain/send-request.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { isRepetitionId } from './row-identity.ts';

// The values of options, refused by name.

export const delimiter = (text: string): string => {
  const character = ['tab', '\\t'].includes(text) ? '\t' : text;
  if (character.length === 1 && !/["\r\n]/.test(character)) return character;
  throw new CliError(
    EXIT.usage,
    `--delimiter ${JSON.stringify(text)} is invalid. Use one character, such as ; or |, or tab.`,
  );
};

export const wholeNumber =
  (option: string, least: number, most: number) =>
  (text: string): number => {
    if (/^[1-9]\d{0,4}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new CliError(EXIT.usage, `${option} "${text}" is invalid. Use a whole number from ${least} to ${most}.`);
  };

/** Leaves room for the suffix of a repetition, such as `.2`. */
const MAX_ID_LENGTH = 60;

export const broadcastId = (id: string): string => {
  if (isRepetitionId(id)) {
    throw new CliError(
      EXIT.usage,
      `--id "${id}" looks like a repetition, which --again queues. Use an ID that does not end in a dot and a number.`,
    );
  }
  if (BROADCAST_ID.test(id) && id.length <= MAX_ID_LENGTH) return id;
  throw new CliError(
    EXIT.usage,
    `--id "${id}" is invalid. Use 1 to ${MAX_ID_LENGTH} letters, digits, or punctuation characters.`,
  );
};
