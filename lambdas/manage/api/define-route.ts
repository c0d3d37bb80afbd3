import type { Caller } from '../../domain/audit.ts';
import { InvalidPositionError } from '../../domain/errors.ts';
import { type Fault, faultsOf } from '../../domain/faults.ts';
import * as z from '../../domain/schema.ts';
import type { Traceparent } from '../../domain/trace-context.ts';
import { type Answer, invalidField, invalidRequest, problem } from './answer.ts';
import { confinableIdField } from './fields.ts';

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

/** A parsed query or body, or why it is invalid. */
export type Parsed<Value> =
  | { readonly kind: 'parsed'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] };

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
        return invalidField(`${idName}`, `is in the query, so the path must have ${ID_IN_QUERY} in place of the ID`);
      }
      if (idInQuery !== undefined && definition.id === confinableIdField) {
        return invalidField(`${idName}`, 'must be in the path');
      }
      const id = definition.id ? parse(definition.id, idInQuery ?? idInPath, idName ?? 'the ID') : PARSED_NO_ID;
      if (id.kind === 'invalid') return invalidRequest(id.faults);
      const query = parse(definition.query, rawQuery, 'the query');
      if (query.kind === 'invalid') return invalidRequest(query.faults);
      const body = parseBody
        ? parseBody(bodyText)
        : parseJsonBody(definition.body, Object.is(definition.body, noBody) ? '' : bodyText);
      if (body.kind === 'invalid') return invalidRequest(body.faults);
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
  return json === undefined && bodyText !== '' ? NOT_JSON : parse(schema, json, 'the body');
};

/** The body is not JSON. */
export const NOT_JSON = { kind: 'invalid', faults: [{ field: 'the body', fault: 'is not JSON' }] } as const;

const PARSED_NO_ID: Parsed<string> = { kind: 'parsed', value: '' };

/** Parses a part of a call. */
export const parse = <Value>(schema: z.ZodMiniType<Value>, value: unknown, root: string): Parsed<Value> => {
  const parsed = z.safeParse(schema, value);
  return parsed.success
    ? { kind: 'parsed', value: parsed.data }
    : { kind: 'invalid', faults: faultsOf(parsed.error, root, value) };
};

const INVALID_CURSOR: Answer = problem(
  400,
  'INVALID_CURSOR',
  'The cursor is not one that this API returned; start again without a cursor.',
);
