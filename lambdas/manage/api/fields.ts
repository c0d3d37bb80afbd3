import { ANY_CHANNEL, numberOfChannel } from '../../domain/contact.ts';
import * as z from '../../domain/schema.ts';
import { REQUEST_ID } from '../../domain/send-request.ts';

// Fields of queries and bodies that several routes share.

export const requestIdField = z.boundedString(128).check(z.regex(REQUEST_ID, 'is not a request id'));

/** The ID of a message or a stored contact. */
export const eventIdField = z.idInKey();

/**
 * The address of a contact to erase. A value that looks like a number but is not one would erase nothing and report
 * success.
 */
export const erasedAddressField = z.typedAddress(z.MAX_ID_BYTES).check(z.hasIdBytes);

/** An ID that Parley or AWS chose, such as that of an erasure or of a dead letter. */
export const chosenIdField = z.boundedString(128);

/**
 * A request ID in a path, to which IAM policies can confine a caller. It can contain only characters that mean the same
 * whether or not they are percent-encoded, because AWS does not document which form of the path IAM sees.
 * Source: https://www.rfc-editor.org/rfc/rfc3986#section-2.3
 */
export const confinableIdField = z
  .boundedString(128)
  .check(
    z.regex(
      /^(?!\.+$|-$)[A-Za-z0-9._~-]+$/,
      'must have only letters, digits, dots, hyphens, underscores, and tildes in this path',
    ),
  );

/** A business number as calls to the chat service name it. */
export const channelNumber = z.wellFormedString().check(z.regex(/^\+\d{6,15}$/, 'must be + and 6 to 15 digits'));

/** A business number, or an ID that an event names it by. */
const channelName = (isName: (name: string) => boolean) =>
  z
    .boundedString(z.MAX_NAME_LENGTH)
    .check(z.refine(isName, 'must be a business number, such as +5491100000000, or a channel ID that ends in one'));

const namesNumber = (name: string): boolean => numberOfChannel(name) !== undefined;

/** Both default to the stage's settings. The number matters only if windows are kept per business number. */
export const contactFields = {
  chatPlatform: z.optional(z.boundedString(z.MAX_NAME_LENGTH)),
  chatChannelNumber: z.optional(channelName(namesNumber)),
};

/** For reading and erasing. `*` selects what arrived without a business number. */
export const storedContactFields = {
  ...contactFields,
  chatChannelNumber: z.optional(channelName((name) => name === ANY_CHANNEL || namesNumber(name))),
};

/** A page size in a query. */
export const pageSize = (maximum: number) =>
  z.pipe(
    z.wellFormedString().check(z.regex(/^\d{1,6}$/, 'must be a whole number')),
    z.pipe(
      z.transform(Number),
      z.number().check(z.minimum(1, 'must be at least 1'), z.maximum(maximum, `must be at most ${maximum}`)),
    ),
  );
