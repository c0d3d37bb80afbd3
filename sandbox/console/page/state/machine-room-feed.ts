import type { MachineRoomChange } from '../../../machine-room/machine-room.ts';
import { store } from './console-state.ts';
import { putSend } from './sends.ts';
import { refreshWay } from './way.ts';

/** Follows what changes on the customer's side. */
export const followMachineRoom = (): EventSource => {
  const feed = new EventSource('/machine-room/feed');
  const on = <Kind extends MachineRoomChange['kind']>(
    kind: Kind,
    act: (change: Extract<MachineRoomChange, { kind: Kind }>) => void,
  ) => feed.addEventListener(kind, ({ data }) => act({ kind, ...JSON.parse(data) }));

  on('queues', ({ depths }) => store.set({ depths }));
  on('send', ({ send }) => {
    putSend(send);
    const { chosen, way } = store.get();
    if (chosen?.id === send.requestId || (send.messageId && way?.message?.id === send.messageId)) refreshWay();
  });
  on('bus', () => {
    if (store.get().chosen !== undefined) refreshWay();
  });
  on('item', ({ key }) => {
    const { chosen, way } = store.get();
    const isOfWay = way?.trace?.items.some(({ pk, sk }) => `${pk} ${sk}` === key) ?? false;
    if (chosen !== undefined && (isOfWay || key.includes(chosen.id))) refreshWay();
  });
  return feed;
};
