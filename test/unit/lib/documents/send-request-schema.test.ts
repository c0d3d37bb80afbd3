import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendRequest } from '../../../../lambdas/domain/send-request.ts';
import { sendRequestSchema, sendRequestSchemaText } from '../../../../lib/documents/send-request-schema.ts';

const FILE = join(import.meta.dirname, '../../../../docs/send-request.schema.json');

describe('The JSON Schema of a send request', () => {
  test('in docs is up to date; "npm run schemas" writes it', () => {
    expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(JSON.parse(sendRequestSchemaText()));
  });

  test('describes every field of the request', () => {
    const { properties } = sendRequestSchema();
    expect(Object.keys(properties)).toEqual(Object.keys(sendRequest.def.shape));
    for (const property of Object.values(properties)) expect(property).toHaveProperty('description');
  });
});
