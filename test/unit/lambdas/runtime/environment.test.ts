import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from '../../../../lambdas/domain/schema.ts';
import { json, parseEnvironment, variablesOf, wholeNumber } from '../../../../lambdas/runtime/environment.ts';

const schema = z.object({
  TABLE_NAME: z.string(),
  RETENTION_DAYS: wholeNumber(1),
  RULES: json(z.strictObject({ template: z.string() })),
});

const VALID = { TABLE_NAME: 'table', RETENTION_DAYS: '400', RULES: '{"template":"hello"}' };

describe('parseEnvironment', () => {
  it('returns the parsed variables, and ignores others', () => {
    expect(parseEnvironment(schema, { ...VALID, PATH: '/bin' })).toEqual({
      TABLE_NAME: 'table',
      RETENTION_DAYS: 400,
      RULES: { template: 'hello' },
    });
  });

  it.each([
    ['RETENTION_DAYS', '0', 'RETENTION_DAYS: must be at least 1'],
    ['RETENTION_DAYS', '-1', 'RETENTION_DAYS: must be a whole number'],
    ['RETENTION_DAYS', '1.5', 'RETENTION_DAYS: must be a whole number'],
    ['RETENTION_DAYS', '', 'RETENTION_DAYS: must be a whole number'],
    ['RULES', '{"template":', 'RULES: must be JSON'],
    ['RULES', '{"template":1}', 'RULES.template: '],
    ['TABLE_NAME', undefined, 'TABLE_NAME: '],
  ])('explains the fault of %s=%s', (name, value, fault) => {
    expect(() => parseEnvironment(schema, { ...VALID, [name]: value })).toThrow(fault);
  });

  it('names every fault and no value', () => {
    const secret = 'a-secret';
    const parse = () => parseEnvironment(schema, { RETENTION_DAYS: secret, RULES: secret });
    expect(parse).toThrow(/deploy the stack again\. TABLE_NAME: .*; RETENTION_DAYS: .*; RULES: /);
    expect(parse).not.toThrow(secret);
  });
});

describe('variablesOf', () => {
  it('adds the large variables from a file in the code', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-task-root-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'variables.json'), JSON.stringify({ RULES: '{"template":"hello"}' }));
    const environment = { TABLE_NAME: 'table', VARIABLES_FILE: 'variables.json', LAMBDA_TASK_ROOT: folder };

    expect(variablesOf(environment)).toEqual({ ...environment, RULES: '{"template":"hello"}' });
    expect(() => variablesOf({ ...environment, LAMBDA_TASK_ROOT: join(folder, 'none') })).toThrow('variables.json');
  });

  it('reads no file if all are in the environment', () => {
    const environment = { TABLE_NAME: 'table' };
    expect(variablesOf(environment)).toBe(environment);
  });
});
