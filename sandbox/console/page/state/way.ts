import type { SendSummary, Trace } from '../../../machine-room/machine-room.ts';
import { type Chosen, store, type Way } from './console-state.ts';
import { ask } from './service.ts';
import type { Call, Delivery, ExpiredEvent, Message } from './shapes.ts';

type ServiceWay = {
  message: Message | null;
  deliveries: readonly Delivery[];
  expired: readonly ExpiredEvent[];
  calls: readonly Call[];
};

const SOON_MS = 80;

const NOTHING: ServiceWay = { message: null, deliveries: [], expired: [], calls: [] };

export const choose = (chosen: Chosen | undefined): void => {
  store.set({ chosen });
  void loadWay();
};

let isDue = false;

/** Reads the way of what is chosen again soon; many calls come to one. */
export const refreshWay = (): void => {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    void loadWay();
  }, SOON_MS);
};

const loadWay = async (): Promise<void> => {
  const { chosen } = store.get();
  if (chosen === undefined) return store.set({ way: undefined });
  const way = await readWay(chosen);
  if (store.get().chosen === chosen) store.set({ way });
};

const readWay = async (of: Chosen): Promise<Way> => {
  const path = `${of.kind}s/${encodeURIComponent(of.id)}`;
  const traced = store.get().hasMachineRoom ? await ask<Trace>('GET', `/machine-room/${path}`) : undefined;
  const trace = traced?.ok ? traced.value : undefined;
  const messageId = of.kind === 'message' ? of.id : sendOf(trace)?.messageId;
  const asked = messageId
    ? await ask<ServiceWay>('GET', `/console/messages/${encodeURIComponent(messageId)}`)
    : undefined;
  const way = asked?.ok ? asked.value : NOTHING;
  const failed = await failedCalls(trace);
  return { of, ...way, calls: [...failed, ...way.calls], trace };
};

/** The calls that a request led to before it was accepted, if ever: those with the body that its claim names. */
const failedCalls = async (trace: Trace | undefined): Promise<readonly Call[]> => {
  const send = sendOf(trace);
  if (send?.platformContactId === undefined || send.call === undefined) return [];
  const body = canonical(send.call.body);
  const calls = await ask<{ calls: readonly Call[] }>(
    'GET',
    `/console/calls/${encodeURIComponent(send.platformContactId)}`,
  );
  if (!calls.ok) return [];
  return calls.value.calls.filter(({ messageId, request }) => messageId === null && canonical(request) === body);
};

export type SendItem = Pick<SendSummary, 'platformContactId' | 'messageId'> & { call?: { body: unknown } };

/** The request's item of the table, as far as the way needs it. */
const sendOf = (trace: Trace | undefined): SendItem | undefined => {
  const item = trace?.items.find(({ sk }) => sk === 'SEND');
  if (item === undefined) return undefined;
  const { messageId, call } = item;
  const body = typeof call === 'object' && call !== null && 'body' in call ? call.body : undefined;
  const to =
    typeof body === 'object' && body !== null && 'platformContactId' in body ? body.platformContactId : undefined;
  return {
    messageId: typeof messageId === 'string' ? messageId : undefined,
    platformContactId: typeof to === 'string' ? to : undefined,
    ...(body !== undefined && { call: { body } }),
  };
};

/** The table gives an object's fields back in an order of its own. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
