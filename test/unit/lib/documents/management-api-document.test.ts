import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from '../../../../lambdas/domain/schema.ts';
import type { RouteDescription } from '../../../../lambdas/manage/api/define-route.ts';
import { ROUTES } from '../../../../lambdas/manage/api/routes.ts';
import {
  managementApiDocument,
  managementApiText,
  statusOf,
} from '../../../../lib/documents/management-api-document.ts';
import { managementApiPage } from '../../../../lib/documents/management-api-page.ts';
import { ROUTE_SAMPLES } from '../../../../lib/documents/management-api-samples.ts';
import { TAGS } from '../../../../lib/documents/management-api-tags.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

describe('docs/management-api.json', () => {
  it('is up to date; "npm run schemas" writes it', () => {
    const written: unknown = JSON.parse(readFileSync(join(ROOT, 'docs/management-api.json'), 'utf8'));
    expect(written).toEqual(JSON.parse(managementApiText(version)));
  });

  it('has every route with its 403 for an unsigned request', () => {
    const { paths } = managementApiDocument(version);
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations).toHaveLength(Object.keys(ROUTES).length);
    for (const operation of operations) expect(operation).toHaveProperty('responses.403');
  });

  it('describes each part that several routes share only once, and references it', () => {
    const document = managementApiDocument(version);
    const { securitySchemes: _security, ...shared } = document.components;
    const names = Object.entries(shared).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    );
    const references = new Set(JSON.stringify(document).match(/#\/components\/\w+\/\w+/g));
    expect([...references].toSorted()).toEqual(names.toSorted());
    expect(document.paths['/v1/sends/{requestId}']?.get).toMatchObject({
      responses: {
        200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Send' } } } },
        404: { $ref: '#/components/responses/NotFound' },
      },
    });
    expect(document.paths['/v1/sends/{requestId}']?.put).toMatchObject({
      parameters: [{ $ref: '#/components/parameters/requestIdInPath' }],
    });
    expect(document.components.responses.NotFound).toHaveProperty('content.application/json.schema', {
      $ref: '#/components/schemas/Problem',
    });
  });

  it('lists the required fields of a request body', () => {
    const { paths } = managementApiDocument(version);
    expect(paths['/v1/sends']?.post).toHaveProperty(
      'requestBody.content.application/json.schema.required',
      expect.arrayContaining(['requestId']),
    );
  });
});

describe('docs/management-api.md', () => {
  it('is up to date; "npm run schemas" writes its routes', () => {
    const page = readFileSync(join(ROOT, 'docs/management-api.md'), 'utf8');
    expect(page).toBe(managementApiPage(page));
  });

  it.each(Object.values(TAGS).flat())('has a valid sample of %s', (name) => {
    const described: RouteDescription = ROUTES[name];
    const { route, id: idSchema, body, query, responses } = described;
    const { id, request, response, query: parameters = {} } = ROUTE_SAMPLES[name];
    const schema = responses[statusOf(ROUTE_SAMPLES[name], described)] ?? body;

    expect(z.safeParse(query, parameters).error).toBeUndefined();
    expect(z.safeParse(body, request).error).toBeUndefined();
    expect(id !== undefined).toBe(route.includes('{'));
    if (idSchema) expect(z.safeParse(idSchema, decodeURIComponent(id ?? '')).error).toBeUndefined();
    // Parsing drops what the schema does not have.
    expect(z.parse(schema, response)).toEqual(response);
  });
});
