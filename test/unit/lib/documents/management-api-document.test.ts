import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../../lambdas/manage/routes.ts';
import { managementApiDocument, managementApiText } from '../../../../lib/documents/management-api-document.ts';

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

  it('lists the required fields of a request body', () => {
    const { paths } = managementApiDocument(version);
    expect(paths['/v1/sends']?.post).toHaveProperty(
      'requestBody.content.application/json.schema.required',
      expect.arrayContaining(['requestId', 'platformContactId']),
    );
  });
});
