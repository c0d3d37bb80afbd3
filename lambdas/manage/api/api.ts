import type { Caller } from '../../domain/audit.ts';
import { ANY_CHANNEL, numberOfChannel } from '../../domain/contact.ts';
import { InvalidPositionError } from '../../domain/errors.ts';
import * as z from '../../domain/schema.ts';
import { REQUEST_ID } from '../../domain/send-request.ts';
import type { Traceparent } from '../../domain/trace-context.ts';
import type { ListPosition } from '../../ports.ts';

/** Why a call was not carried out. Clients depend on the codes. */
export const PROBLEM_CODES = [
  'INVALID_REQUEST',
  'INVALID_CURSOR',
  'CONTACT_NOT_FOUND',
  'CUSTOMER_NOT_FOUND',
  'CUSTOMER_SHARED',
  'MESSAGE_NOT_FOUND',
  'SEND_NOT_FOUND',
  'ERASURE_NOT_FOUND',
  'DEAD_LETTER_NOT_FOUND',
  'QUEUE_NOT_FOUND',
  'REQUEST_ID_REUSED',
  'NOT_RESOLVABLE',
  'NOT_CANCELLABLE',
  'PROBE_IN_FLIGHT',
  'NOT_OVERDUE',
  'HANDOVERS_OFF',
  'INVALID_CHANNEL',
  'CHAT_SERVICE_FAILED',
  'INTERNAL',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** A route's answer, before it becomes an HTTP response. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });

/** Answers a call whose work continues in the background. */
export const accepted = (body: unknown): Answer => ({ status: 202, body });

export const problem = (status: 400 | 404 | 409 | 500 | 502, code: ProblemCode, message: string): Answer => ({
  status,
  body: { code, message },
});

export const invalidRequest = (explanation: string): Answer => problem(400, 'INVALID_REQUEST', explanation);

export const problemResponse = z.object({
  code: z.string(),
  /** What is wrong and how to fix it. */
  message: z.string(),
});

/** A call as received from API Gateway, not yet parsed. */
export interface ManagementCall {
  /** Who signed the call. */
  readonly caller: Caller;
  /** The path's variable; empty if the path has none. A call can pass the id in its query instead. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly bodyText: string;
  /** The trace that the caller names in the header `traceparent`. */
  readonly traceparent?: Traceparent | undefined;
}

/** For routes without query parameters: if a call has some anyway, they are refused, or ignored. */
export const noQuery = z.strictObject({});
export const ignoredQuery = z.object({});

/** For routes without a body; a body in the call is ignored. */
export const noBody = z.undefined();

/** Describes a route for the documentation and for the stack. */
export interface RouteDescription {
  readonly route: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /v1/${string}`;
  readonly summary: string;
  readonly description?: string;
  /** The schema of the ID in the path, if there is one. */
  readonly id?: z.ZodMiniType<string>;
  readonly query: z.ZodMiniType;
  readonly body: z.ZodMiniType;
  /** The schemas of the responses, by status. */
  readonly responses: { readonly [status: number]: z.ZodMiniType };
}

/** A route of the management API. */
export interface Route<Ports> extends RouteDescription {
  respond(ports: Ports, call: ManagementCall): Promise<Answer>;
}

/** A parsed query or body, or an explanation of why it is invalid. */
export type Parsed<Value> =
  | { readonly kind: 'parsed'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly explanation: string };

interface RouteDefinition<Ports, Query, Body> extends RouteDescription {
  readonly query: z.ZodMiniType<Query>;
  readonly body: z.ZodMiniType<Body>;
  /** Parses the body in place of its schema. */
  readonly parseBody?: (bodyText: string) => Parsed<Body>;
  readonly handle: (
    ports: Ports,
    input: {
      readonly id: string;
      readonly query: Query;
      readonly body: Body;
      /** The body as received, for routes that keep the text of its parts. */
      readonly bodyText: string;
      readonly caller: Caller;
      readonly traceparent?: Traceparent | undefined;
    },
  ) => Promise<Answer>;
}

/**
 * Replaces an id in the path when the query has the id, under the same name. HTTP APIs reportedly decode the path and
 * cut it at a question mark, so an id that contains one would name another resource.
 * Source: https://github.com/middleapi/standard-server/pull/93
 */
export const ID_IN_QUERY = '-';

/** Returns the name of the variable in a route's path. */
export const idNameOf = (route: string): string | undefined => /\{(\w+)\+?\}/.exec(route)?.[1];

/**
 * Defines a route. Responds to an invalid ID, query, or body with 400 and a message that lists every fault.
 *
 * @throws Error if the path has an ID without a schema, because DynamoDB limits the length of keys
 */
export const defineRoute = <Ports, Query, Body>(definition: RouteDefinition<Ports, Query, Body>): Route<Ports> => {
  const { parseBody, handle, ...description } = definition;
  const idName = idNameOf(definition.route);
  if (idName !== undefined && definition.id === undefined)
    throw new Error(`${definition.route} has no schema of its ID.`);
  return {
    ...description,
    async respond(ports, call) {
      const { caller, traceparent, bodyText, id: idInPath } = call;
      const { [idName ?? '']: idInQuery, ...rawQuery } = call.query;
      if (idInQuery !== undefined && idInPath !== ID_IN_QUERY) {
        return invalidRequest(`Invalid request: ${idName}: replace the ID in the path with ${ID_IN_QUERY}.`);
      }
      if (idInQuery !== undefined && definition.id === confinableIdField) {
        return invalidRequest(`Invalid request: ${idName}: must be in the path.`);
      }
      const id = definition.id ? parse(definition.id, idInQuery ?? idInPath, idName ?? 'the ID') : PARSED_NO_ID;
      if (id.kind === 'invalid') return invalidRequest(id.explanation);
      const query = parse(definition.query, rawQuery, 'the query');
      if (query.kind === 'invalid') return invalidRequest(query.explanation);
      const body = parseBody
        ? parseBody(bodyText)
        : parseJsonBody(definition.body, Object.is(definition.body, noBody) ? '' : bodyText);
      if (body.kind === 'invalid') return invalidRequest(body.explanation);
      try {
        return await handle(ports, {
          id: id.value,
          query: query.value,
          body: body.value,
          bodyText,
          caller,
          traceparent,
        });
      } catch (error) {
        // DynamoDB knows best which positions an index can have, so it checks those of hand-made cursors.
        if (error instanceof InvalidPositionError) return INVALID_CURSOR;
        throw error;
      }
    },
  };
};

const parseJsonBody = <Body>(schema: z.ZodMiniType<Body>, bodyText: string): Parsed<Body> => {
  const json = z.parseJson(bodyText);
  return json === undefined && bodyText !== ''
    ? { kind: 'invalid', explanation: 'The body is not JSON.' }
    : parse(schema, json, 'the body');
};

const PARSED_NO_ID: Parsed<string> = { kind: 'parsed', value: '' };

const parse = <Value>(schema: z.ZodMiniType<Value>, value: unknown, root: string): Parsed<Value> => {
  const parsed = z.safeParse(schema, value);
  return parsed.success
    ? { kind: 'parsed', value: parsed.data }
    : { kind: 'invalid', explanation: `Invalid request: ${z.describeIssues(parsed.error, root)}.` };
};

/** Fields that several routes share. */

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

/** The `cursor` of the previous page. */
export const cursorField = z.boundedString(8192);

/** A position in a list, which the table checks. */
const listPosition = z.record(z.string(), z.string());

/** Encodes a position in a list. The cursor is opaque to clients, so that its format can change. */
export const writeCursor = (position: Readonly<Record<string, string>>): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/**
 * Returns the position of a cursor, or undefined without one. JSON can escape half of a character, which no key contains
 * and which DynamoDB refuses.
 *
 * @param schema of the position. @default one that the table checks
 * @throws InvalidPositionError for a cursor that this API did not write
 */
export const parseCursor = (
  cursor: string | undefined,
  schema: z.ZodMiniType<ListPosition> = listPosition,
): ListPosition | undefined => {
  if (cursor === undefined) return undefined;
  const json = z.parseJson(Buffer.from(cursor, 'base64url').toString());
  // Stringified, only half a character remains escaped.
  const isBroken = /\\ud[89a-f]/.test(JSON.stringify(json) ?? '');
  const position = isBroken ? undefined : z.safeParse(schema, json).data;
  if (position === undefined) throw new InvalidPositionError('The cursor is not one of this API.');
  return position;
};

const INVALID_CURSOR: Answer = problem(
  400,
  'INVALID_CURSOR',
  'The cursor is not one that this API returned; start again without a cursor.',
);
