import { waitFor } from '../../local/demo/wait-for.ts';
import type { LocalClient } from '../../local/local-client.ts';
import type { LocalCloud } from '../../local/local-cloud.ts';

const ANA = '+5491150000010';

const OTHERS: readonly (readonly [name: string, text: string])[] = [
  ['Bruno Lima', 'Are you open on *Sunday*?'],
  ['Carla Ruiz', 'Thanks, all good!'],
  ['Diego Paz', 'Can I change the date?'],
  ['Elena Soto', 'Where do I pick it up?'],
];

/** A conversation that shows what the console shows: formatting, media, a template, a refusal, ticks of each kind. */
export const playAStory = async (cloud: LocalCloud, client: LocalClient): Promise<void> => {
  const sample = (file: string) => `${cloud.chatServiceUrl}/samples/${file}`;
  const patch = (contact: string, name: string) =>
    client.control('PATCH', `/users/${encodeURIComponent(contact)}`, { name });
  const write = async (contact: string, message: Readonly<Record<string, unknown>>) => {
    await client.control('POST', `/users/${encodeURIComponent(contact)}/messages`, message);
    // What is sent next must find the window that this opens.
    await waitFor('every event is acknowledged', async () => {
      const { pending } = Object(await client.control('GET', '/state'));
      return pending === 0 ? true : undefined;
    });
  };
  const send = async (request: { readonly requestId: string } & Readonly<Record<string, unknown>>) => {
    await client.enqueue({ platformContactId: ANA, ...request });
    await waitFor(`${request.requestId} is concluded`, async () => {
      const state = (await client.table())[`SEND#${request.requestId} SEND`]?.state;
      return state === undefined || state === 'claimed' ? undefined : state;
    });
  };

  for (const [index, [name, text]] of OTHERS.entries()) {
    const contact = `+54911500000${index + 20}`;
    await patch(contact, name);
    await write(contact, { text });
  }
  await patch(ANA, 'Ana Torres');
  await client.putRule('parcel_update', { text: 'Hello *${name}*, news of your parcel.', category: 'shipping-status' });
  await write(ANA, { text: 'Good morning!' });
  await send({ requestId: 'parcel-0042-1', messageText: 'Good morning, *Ana*. It left at 8:40 and is _on its way_.' });
  await write(ANA, { text: 'It looks like this:', imageUrls: [sample('parcel.jpg')] });
  await send({ requestId: 'parcel-0042-2', messageText: 'Look', imageURL: 'https://media.example/dance.gif' });
  await send({ requestId: 'parcel-0042-3', messageText: 'Thank you! Waybill `0042` arrives today, *14 to 16 h*.' });
  await client.userReads(ANA);
  await write(ANA, { audioUrls: [sample('voice.wav')] });
};
