import { describe, expect, it } from 'vitest';
import { ManagementError } from '../../../../cli/operations/management-client.ts';
import { orRefused } from '../../../../local/inspector/management-client.ts';

const refusedWith = (status: number) =>
  orRefused(() => Promise.reject(new ManagementError(status, 'CODE', 'The send r-1 is accepted.')));

describe('an action through the management API', () => {
  it.each([
    [400, 400],
    [404, 404],
    [409, 409],
    // What is wrong with the credentials or the rate of calls is no fault of the page's request.
    [403, 409],
    [429, 409],
  ] as const)('is refused with the sentence of the API if it returns %d', async (status, answered) => {
    const message = 'The send r-1 is accepted.';

    expect(await refusedWith(status)).toEqual({ kind: 'refused', status: answered, message });
  });

  it.each([0, 500, 503])('fails if the API returns %d, or nothing', async (status) => {
    await expect(refusedWith(status)).rejects.toThrow(ManagementError);
  });
});
