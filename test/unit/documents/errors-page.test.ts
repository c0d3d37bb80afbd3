import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiErrors, commandErrors, errorsPage } from './errors-page.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8');

describe('docs/errors.md', () => {
  it('has every error that a command or the management API can make: npm run schemas', () => {
    expect(page).toBe(errorsPage(page));
  });

  it('is not up to date without one of them', () => {
    const lines = page.split('\n');
    const without = lines.filter((line) => !line.includes('A deleted dead letter cannot be restored.')).join('\n');
    expect(without).not.toBe(page);
    expect(errorsPage(without)).toBe(page);
  });
});

describe('an error', () => {
  const errors = [...commandErrors(), ...apiErrors()].filter(({ sentence }) => /[a-z]{2}/.test(sentence));

  it('of a field has its words where it is made, so that the page can show them', () => {
    const faults = apiErrors().map(({ sentence }) => sentence.replace(/^Invalid request: [^:]*: /, ''));
    expect(faults.filter((fault) => !/[a-z]{2}/.test(fault))).toEqual([]);
  });

  it('has a code', () => {
    expect(errors.filter(({ code }) => !/^(\d+|[A-Z_]+)$/.test(code))).toEqual([]);
  });

  it.each(errors)('is a sentence: $sentence ($file)', ({ sentence }) => {
    expect(sentence).toMatch(/[.?…]$/);
  });

  it.each(commandErrors())('of a command does not name a field of the API: $sentence ($file)', ({ sentence }) => {
    expect(sentence).not.toMatch(/\b(messageText|ruleNameOrId|platformContactId|customerId|notAfter|sendAt)\b/);
  });
});
