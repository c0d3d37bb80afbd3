import { describe, expect, it } from 'vitest';
import { failedItems } from '../../../../local/event-sources/batch-response.ts';
import type { InvocationResult } from '../../../../local/functions/invocation.ts';

describe('the failed items of a batch', () => {
  const failed = (result: InvocationResult, reports = true) => [...failedItems(result, ['1', '2'], reports)];
  const failedIn = (response: unknown) => failed({ ok: true, payload: JSON.stringify(response) });

  it.each([
    ['an empty list', { batchItemFailures: [] }],
    ['no list', { batchItemFailures: null }],
    ['an empty response', {}],
    ['no response', null],
  ])('are none with %s', (_name, response) => {
    expect(failedIn(response)).toEqual([]);
  });

  it('are those that the response names', () => {
    expect(failedIn({ batchItemFailures: [{ itemIdentifier: '2' }] })).toEqual(['2']);
  });

  it.each([
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['no id', { batchItemFailures: [{ itemIdentifier: null }] }],
    ['another field', { batchItemFailures: [{ id: '1' }] }],
    ['an id that is not in the batch', { batchItemFailures: [{ itemIdentifier: '9' }, { itemIdentifier: '1' }] }],
    ['a list of ids', { batchItemFailures: ['1'] }],
    ['a string instead of a list', { batchItemFailures: '1' }],
    ['a string as the response', 'ok'],
  ])('are all items with %s', (_name, response) => {
    expect(failedIn(response)).toEqual(['1', '2']);
  });

  it('are all items when the function fails', () => {
    expect(failed({ ok: false, error: { errorType: 'Error', errorMessage: '' } })).toEqual(['1', '2']);
  });

  it('are none, whatever the response, when the mapping does not declare ReportBatchItemFailures', () => {
    expect(failed({ ok: true, payload: '{"batchItemFailures":[{"itemIdentifier":"1"}]}' }, false)).toEqual([]);
  });
});
