import { parseJson } from '../domain/parse-json.ts';
import * as z from '../domain/schema.ts';
import { type Answer, problem } from './answer.ts';

/** What a call brings, before anybody has looked at it. */
export interface ManagementCall {
  /** The path's one variable, if it has one. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly bodyText: string;
  /** Who signed the call, for the log. */
  readonly caller: string;
}

export type Input<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'faulty'; readonly answer: Answer };

/** Reads a query; a fault is answered with 400 and a sentence that names it. */
export const readQuery = <Schema extends z.ZodMiniType>(
  schema: Schema,
  query: ManagementCall['query'],
): Input<z.output<Schema>> => read(schema, query, 'query');

/** Reads a body of JSON. */
export const readBody = <Schema extends z.ZodMiniType>(schema: Schema, bodyText: string): Input<z.output<Schema>> => {
  const json = parseJson(bodyText);
  return json === undefined ? faulty('The body is not JSON.') : read(schema, json, 'body');
};

const read = <Schema extends z.ZodMiniType>(schema: Schema, value: unknown, place: string): Input<z.output<Schema>> => {
  const result = z.safeParse(schema, value);
  if (result.success) return { kind: 'read', value: result.data };
  const faults = result.error.issues.map((issue) => {
    const message = issue.code === 'unrecognized_keys' ? `does not know ${issue.keys.join(', ')}` : issue.message;
    return `${issue.path.join('.') || `the ${place}`} ${message}`;
  });
  return faulty(`Not understood: ${faults.join('; ')}.`);
};

const faulty = (sentence: string): Input<never> => ({
  kind: 'faulty',
  answer: problem(400, 'INVALID_REQUEST', sentence),
});
