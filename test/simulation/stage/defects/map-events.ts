import type { ReceiveMutation } from '../../world/receive-process.ts';

type Event = Readonly<Record<string, unknown>>;

/** Changes the events in their envelopes before they are stored. */
export const mapEvents = (change: (event: Event) => Event): ReceiveMutation => ({
  storeEvents: (storeEvents) => (request) => {
    const envelope = JSON.parse(request.rawBody.toString());
    const event = JSON.parse(Buffer.from(envelope.message.data, 'base64').toString());
    const data = Buffer.from(JSON.stringify(change(event))).toString('base64');
    const rawBody = Buffer.from(JSON.stringify({ ...envelope, message: { ...envelope.message, data } }));
    return storeEvents({ ...request, rawBody });
  },
});
