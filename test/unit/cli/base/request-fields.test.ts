import { describe, expect, it } from 'vitest';
import { describeFaults, fieldsFrom, queryFrom } from '../../../../cli/base/request-fields.ts';

const SOURCES = {
  platformContactId: '<contact>',
  ruleNameOrId: 'template',
  params: 'param',
  messageId: 'messageId',
  until: 'until',
  since: 'since',
} as const;

describe('the fields of a request', () => {
  it('are those of the options and arguments that were given', () => {
    const given = {
      '<contact>': 'U',
      messageId: undefined,
      template: 'hi',
      json: true,
      param: 0,
      until: '',
      since: 's',
    };

    expect(fieldsFrom(given, SOURCES)).toEqual({
      platformContactId: 'U',
      ruleNameOrId: 'hi',
      params: 0,
      until: '',
      since: 's',
    });
    expect(String(queryFrom(given, { messageId: 'messageId', until: 'until', params: 'param' }))).toBe(
      'until=&params=0',
    );
  });
});

describe('a fault of a request', () => {
  it.each([
    [{ field: 'messageId', fault: 'is missing' }, '--message-id is missing.'],
    [{ field: 'platformContactId', fault: 'is a link' }, '<contact> is a link.'],
    [{ field: 'params.name', fault: 'must be a string' }, '--param name must be a string.'],
    [{ field: 'since', fault: 'must be a time', value: '"noon"' }, '--since must be a time (got "noon").'],
    [{ field: 'since', fault: 'must not be later than `until`' }, '--since must not be later than --until.'],
    [{ field: 'params', fault: 'needs a template; add ruleNameOrId' }, '--param needs a template; add --template.'],
    [{ field: 'the query', fault: 'names no user; add `contact`' }, 'The request names no user; add `contact`.'],
    [{ field: 'other.1', fault: 'is missing' }, 'Other.1 is missing.'],
  ])('%j: %s', (fault, sentence) => {
    expect(describeFaults([fault], SOURCES)).toBe(sentence);
  });

  it('is not mistaken for a property that every object has', () => {
    expect(describeFaults([{ field: 'constructor', fault: 'is unknown' }], {})).toBe('Constructor is unknown.');
  });

  it('is followed by the others', () => {
    const faults = [
      { field: 'since', fault: 'is missing' },
      { field: 'until', fault: 'is missing' },
    ];
    expect(describeFaults(faults, SOURCES)).toBe('--since is missing; --until is missing.');
  });
});
