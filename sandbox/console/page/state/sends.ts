import type { SendSummary } from '../../../machine-room/machine-room.ts';
import { store } from './console-state.ts';
import { ask } from './service.ts';

const HELD = 200;

/** The chosen user's requests. */
export const loadSends = async (): Promise<void> => {
  const { user, hasMachineRoom } = store.get();
  if (!hasMachineRoom || user === undefined) return store.set({ sends: [] });
  const asked = await ask<{ sends: readonly SendSummary[] }>(
    'GET',
    `/machine-room/sends?contact=${encodeURIComponent(user)}`,
  );
  if (asked.ok && store.get().user === user) store.set({ sends: asked.value.sends });
};

/** A request came or changed; only the chosen user's are listed. */
export const putSend = (send: SendSummary): void => {
  const { user, sends } = store.get();
  if (user === undefined || digits(send.platformContactId ?? '') !== digits(user)) return;
  const others = sends.filter(({ requestId }) => requestId !== send.requestId);
  store.set({ sends: [send, ...others].slice(0, HELD) });
};

const digits = (address: string): string => address.replace(/^\+/, '');
