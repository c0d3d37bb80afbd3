import { expect, it } from 'vitest';
import { otherContent } from '../../../../sandbox/console/page/phone/other-content.ts';
import { inbound } from './page-data.ts';

it.each([
  ['a location', { location: { name: 'Plaza', latitude: -34.6, longitude: 0 } }, 'Plaza\n-34.6, 0'],
  [
    'contacts by name and number, whatever else their cards have',
    {
      contacts: [
        { name: { formatted_name: 'Juan P' }, phones: [{ phone: '+54 9 11 5000-0002', wa_id: '5491150000002' }] },
        { name: { first_name: 'Eva', last_name: 'Ruiz' } },
        { phones: [{ wa_id: '5491150000003' }] },
      ],
    },
    'Juan P\n+54 9 11 5000-0002\nEva Ruiz\n5491150000003',
  ],
  ['contacts in another form as they are', { contacts: [{ card: 7 }] }, '{"card":7}'],
  ['an error', { error: 'Unsupported message' }, 'Unsupported message'],
])('the phone shows %s', (_, content, shown) => {
  expect(otherContent(inbound({ text: '', ...content }))).toBe(shown);
});
