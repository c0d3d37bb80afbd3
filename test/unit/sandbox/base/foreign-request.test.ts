import { describe, expect, it } from 'vitest';
import {
  explainForeignRequest,
  type OwnAddress,
  type SourceHeaders,
} from '../../../../sandbox/base/foreign-request.ts';

const OWN: OwnAddress = { port: 4000 };
const HOST = '127.0.0.1:4000';

describe('a local server answers', () => {
  it.each<[string, SourceHeaders, Partial<OwnAddress>?]>([
    ['a program', { host: HOST }],
    ['a program that uses localhost', { host: 'LOCALHOST:4000' }],
    ['a program that uses IPv6', { host: '[::1]:4000' }],
    ['a program that omits the port', { host: 'localhost' }],
    ['its own page', { host: HOST, origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }],
    ['its own page under localhost', { host: 'localhost:4000', origin: 'http://localhost:4000' }],
    ['an address typed into a browser', { host: HOST, 'sec-fetch-site': 'none' }],
    ['a link on another site', { host: HOST, 'sec-fetch-site': 'cross-site' }, { isLink: true }],
    ['a tunnel that is allowed', { host: 'parley.tunnel.example' }, { allowedHosts: ['Parley.tunnel.example'] }],
    ['an allowed host on any port', { host: 'host.docker.internal:4000' }, { allowedHosts: ['host.docker.internal'] }],
  ])('%s', (_, headers, own) => {
    expect(explainForeignRequest(headers, { ...OWN, ...own })).toBeUndefined();
  });
});

describe('a local server refuses', () => {
  it.each<[string, SourceHeaders, Partial<OwnAddress>?]>([
    ['a name that resolves to this machine', { host: 'evil.test:4000' }],
    ['such a name in the disguise of a link', { host: 'evil.test:4000', 'sec-fetch-site': 'none' }, { isLink: true }],
    ['a name that starts with its own', { host: '127.0.0.1.evil.test:4000' }],
    ['a name that ends with its own', { host: 'evil.localhost:4000' }],
    ['a user name before its own', { host: '127.0.0.1@evil.test:4000' }],
    ['another port', { host: '127.0.0.1:4001' }],
    ['another loopback address', { host: '127.0.0.2:4000' }],
    ['every address', { host: '0.0.0.0:4000' }],
    ['a list of hosts', { host: `${HOST}, evil.test` }],
    ['an empty host', { host: '' }],
    ['no host', {}],
    ['a name below an allowed one', { host: 'x.tunnel.example' }, { allowedHosts: ['tunnel.example'] }],
    ['a page of another site', { host: HOST, origin: 'https://evil.test' }],
    ['a page of another local server', { host: HOST, origin: 'http://127.0.0.1:4001' }],
    ['a page of the same machine under another name', { host: HOST, origin: 'http://localhost:4000' }],
    ['a page without an origin, such as a file', { host: HOST, origin: 'null' }],
    [
      'a page of another site at a tunnel',
      { host: 't.example', origin: 'https://evil.test' },
      { allowedHosts: ['t.example'] },
    ],
    ['an image in a page of another site', { host: HOST, 'sec-fetch-site': 'cross-site' }],
    ['an image in a page of another local server', { host: HOST, 'sec-fetch-site': 'same-site' }],
    ['an unknown relation to a page', { host: HOST, 'sec-fetch-site': ['none', 'cross-site'] }],
    ['a link that another page posts to', { host: HOST, origin: 'https://evil.test' }, { isLink: true }],
  ])('%s', (_, headers, own) => {
    expect(explainForeignRequest(headers, { ...OWN, ...own })).toMatch(/^This server .*\. /);
  });
});
