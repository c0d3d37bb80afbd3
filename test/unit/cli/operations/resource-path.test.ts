import { describe, expect, it } from 'vitest';
import { resourcePath } from '../../../../cli/operations/resource-path.ts';

describe('the path of a resource', () => {
  it.each([
    ['+5491150000001', '/v1/contacts/%2B5491150000001'],
    ['CO.1000', '/v1/contacts/CO.1000'],
    ['what?is/this', '/v1/contacts/-?platformContactId=what%3Fis%2Fthis'],
    ['a b&c=d#e', '/v1/contacts/-?platformContactId=a%20b%26c%3Dd%23e'],
    ['..', '/v1/contacts/-?platformContactId=..'],
    ['-', '/v1/contacts/-?platformContactId=-'],
  ])('with the id %s is %s', (id, path) => {
    expect(resourcePath('contacts', 'platformContactId', id)).toBe(path);
  });

  it('has the query of the call', () => {
    const query = new URLSearchParams({ limit: '20' });
    expect(resourcePath('conversations', 'platformContactId', 'a?b', query)).toBe(
      '/v1/conversations/-?platformContactId=a%3Fb&limit=20',
    );
    expect(resourcePath('conversations', 'platformContactId', 'a', query)).toBe('/v1/conversations/a?limit=20');
  });
});
