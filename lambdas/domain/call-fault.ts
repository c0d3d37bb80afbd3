import { maskNumbers } from './mask-numbers.ts';
import * as z from './schema.ts';

/** Why a call did not succeed. */
export interface CallFault {
  /** The HTTP status, the code, and the reason for a 401 or the valid channels, in Parley's words. May be logged. */
  readonly explanation: string;
  /** The chat service's message, which may quote the request. It is content, and must not be logged. */
  readonly details?: string;
}

/** "Invalid channel": the access token does not belong to the business's number. Not in the contract. */
export const INVALID_CHANNEL = 304;

/** The contract's Errors: 101 "Insufficient credit". */
export const INSUFFICIENT_CREDIT = 101;
const NO_CREDIT = ": the chat service's account has no credit; add credit";

/** How much of the chat service's error text the table stores. */
const MAX_DETAILS_CHARACTERS = 500;
/** How many problems of an answer are read. */
const MAX_PROBLEMS = 20;
const MAX_CHANNELS = 10;
/** How much of the reason for a 401 is read, and how much of it is quoted. */
const MAX_REFUSAL_READ = 1_000;
const MAX_REFUSAL_CHARACTERS = 120;
/** The contract's codes have three digits. A longer one could be a phone number. */
const MAX_CODE = 99_999;

const numberOrDigits = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^\d{1,9}$/))]),
  z.transform((code) => Number(code)),
);
const lenientString = z.catch(z.optional(z.string()), undefined);
const problem = z.object({
  code: z.catch(z.optional(numberOrDigits), undefined),
  message: lenientString,
  /** In lists of errors: the kind of error, and the field that it is about. */
  type: lenientString,
  source: lenientString,
});

/** What an answer says about why the call failed. */
export type Fault = Pick<z.output<typeof problem>, 'code' | 'message'>;

/** Combines an answer's problems: the first code, and all messages. An object with neither is not a fault. */
export const readFault = (given: readonly unknown[]): Fault | undefined => {
  const readable = given.slice(0, MAX_PROBLEMS).flatMap((each) => {
    const { data } = z.safeParse(problem, each);
    return data !== undefined && (data.code !== undefined || data.message !== undefined) ? [data] : [];
  });
  if (readable.length === 0) return undefined;
  const messages = readable.map(messageOf).filter((message) => message !== '');
  return {
    code: readable.find(({ code }) => code !== undefined)?.code,
    message: messages.length === 0 ? undefined : messages.join('; '),
  };
};

const messageOf = ({ message = '', type, source }: z.output<typeof problem>): string =>
  [source && `${source}:`, message, type && `(${type})`].filter((part) => part).join(' ');

/** Explains an answer in Parley's words. */
export const explain = (
  { httpStatus, tokenRefusal }: { readonly httpStatus: number; readonly tokenRefusal?: string },
  fault: Fault | undefined,
): string => {
  const code = codeOf(fault);
  if (httpStatus === 401 && code === undefined) return `HTTP 401${quoteRefusal(tokenRefusal)}`;
  if (code === undefined) return `HTTP ${httpStatus}`;
  const cause = code === INVALID_CHANNEL ? explainChannels(fault) : code === INSUFFICIENT_CREDIT ? NO_CREDIT : '';
  return `HTTP ${httpStatus}, code ${code}${cause}`;
};

/**
 * Quotes why the token was refused. Unlike the body of an error, this is about the token and not about the message, so
 * the logs may contain it: without numbers, and without long words, which could be a part of a token.
 */
const quoteRefusal = (refusal = ''): string => {
  const printable = refusal
    .slice(0, MAX_REFUSAL_READ)
    .replace(/[^!-~]+/g, ' ')
    .replaceAll('"', "'");
  const quoted = maskNumbers(printable.replace(/[\w+/=-]{20,}(?:\.[\w+/=-]+)*/g, '...')).trim();
  return quoted === '' ? '' : `: "${quoted.slice(0, MAX_REFUSAL_CHARACTERS)}"`;
};

/** The business's own channels, which are not users' numbers, as a service with this contract lists them. */
const CHANNELS = /^Invalid channel\. Valid channels are \[([^[\]]{1,1000})\]\.?$/i;
/** A channel's number, or its id, such as `acme-whatsapp-5491100000000`. */
const CHANNEL = /^\+?[\w-]{1,64}$/;

const explainChannels = (fault: Fault | undefined): string => {
  const listed = CHANNELS.exec(fault?.message ?? '')?.[1]
    ?.split(',')
    .map((channel) => channel.trim());
  const channels = (listed ?? []).filter((channel) => CHANNEL.test(channel)).slice(0, MAX_CHANNELS);
  return channels.length === 0
    ? ''
    : `: the channels of the access token are ${channels.join(', ')}; set chatChannelNumber to one of them`;
};

/** Returns the code, unless it could be a phone number. */
export const codeOf = (fault: Fault | undefined): number | undefined => {
  const { code } = fault ?? {};
  return code === undefined || !Number.isInteger(code) || Math.abs(code) > MAX_CODE ? undefined : code;
};

/** Returns the messages. Masks numbers before it shortens the text, so that no part of a number remains at the end. */
export const detailsOf = (fault: Fault | undefined): Pick<CallFault, 'details'> =>
  fault?.message === undefined || fault.message === ''
    ? {}
    : {
        details: maskNumbers(fault.message.slice(0, 4 * MAX_DETAILS_CHARACTERS).toWellFormed())
          .slice(0, MAX_DETAILS_CHARACTERS)
          .toWellFormed(),
      };
