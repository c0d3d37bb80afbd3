import { describe, expect, it } from 'vitest';
import { describeMediaAddress } from '../../../../sandbox/console/page/phone/media-address.ts';

describe('the address of an attachment', () => {
  it.each([
    ['https://media.example/a/way%20bill.pdf', { link: true, name: 'way bill.pdf', host: 'media.example' }],
    ['https://media.example/%E0%A4%A.png', { link: true, name: '%E0%A4%A.png', host: 'media.example' }],
    ['https://media.example/100%', { link: true, name: '100%', host: 'media.example' }],
    ['https://media.example/', { link: true, name: 'https://media.example/', host: 'media.example' }],
    ['http://media.example:8080/a.png', { link: true, name: 'a.png', host: 'media.example:8080' }],
    ['javascript:alert(1)', { link: false, name: 'alert(1)', host: 'javascript:' }],
    ['data:text/html,<script>alert(1)</script>', { link: false, name: 'script>', host: 'data:' }],
    ['not an address', { link: false, name: 'not an address', host: 'invalid URL' }],
  ])('%s', (url, { link, name, host }) => {
    expect(describeMediaAddress(url)).toEqual({ href: link ? url : undefined, name, host });
  });
});
