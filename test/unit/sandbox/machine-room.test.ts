import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import type { MachineRoom, MachineRoomChange } from '../../../sandbox/machine-room/machine-room.ts';
import { startTestSandbox } from '../../support/running-sandbox.ts';

/** A machine room that keeps what it is asked. */
const aMachineRoom = () => {
  const listeners = new Set<(change: MachineRoomChange) => void>();
  const room = {
    sends: vi.fn<MachineRoom['sends']>(async () => [{ requestId: 'r-1', state: 'accepted' }]),
    trace: vi.fn<MachineRoom['trace']>(async () => ({ items: [{ pk: 'SEND#r-1', sk: 'SEND' }] })),
    enqueue: vi.fn<MachineRoom['enqueue']>(async () => undefined),
    depths: vi.fn<MachineRoom['depths']>(async () => ({
      send: 1,
      sendDeadLetters: 2,
      inbound: 3,
      inboundDeadLetters: 4,
    })),
    deadLetters: vi.fn<MachineRoom['deadLetters']>(async () => [{ id: 'm', body: '{}', receiveCount: 1 }]),
    redrive: vi.fn<MachineRoom['redrive']>(async () => 1),
    watch: (listener: (change: MachineRoomChange) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { room, listeners };
};

describe('the machine room over HTTP', () => {
  it('is not there where the sandbox runs alone', async () => {
    const { url } = await startTestSandbox();

    const answer = await fetch(`${url}/machine-room/depths`);

    expect(answer.status).toBe(404);
    expect(await (await fetch(`${url}/console/parts`)).json()).toEqual({ machineRoom: false });
  });

  it('hands each question to who runs the customer’s side', async () => {
    const { room } = aMachineRoom();
    const { url } = await startTestSandbox({ machineRoom: room });
    const ask = async (path: string, body?: unknown) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return (await fetch(`${url}/machine-room${path}`, init)).json();
    };

    expect(await ask('/depths')).toEqual({ send: 1, sendDeadLetters: 2, inbound: 3, inboundDeadLetters: 4 });
    expect(await ask('/sends?contact=%2B54911')).toEqual({ sends: [{ requestId: 'r-1', state: 'accepted' }] });
    expect(room.sends).toHaveBeenCalledWith('+54911');
    expect(await ask('/requests/r%2F1')).toEqual({ items: [{ pk: 'SEND#r-1', sk: 'SEND' }] });
    expect(room.trace).toHaveBeenCalledWith({ requestId: 'r/1' });
    await ask('/messages/m-1');
    expect(room.trace).toHaveBeenCalledWith({ messageId: 'm-1' });
    await ask('/requests', { body: { requestId: 'r-2' }, groupId: '+54911', deduplicationId: 'r-2' });
    expect(room.enqueue).toHaveBeenCalledWith('{"requestId":"r-2"}', { groupId: '+54911', id: 'r-2' });
    expect(await ask('/dead-letters/inbound')).toEqual({ messages: [{ id: 'm', body: '{}', receiveCount: 1 }] });
    expect(await ask('/dead-letters/send/redrive', {})).toEqual({ moved: 1 });
    expect(room.redrive).toHaveBeenCalledWith('send');
  });

  it('says in the error form what is wrong with a request to enqueue', async () => {
    const { room } = aMachineRoom();
    const { url } = await startTestSandbox({ machineRoom: room });

    for (const body of ['{', '{"body":"x"}', '{"body":1,"groupId":"a","deduplicationId":"b"}']) {
      const answer = await fetch(`${url}/machine-room/requests`, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: { code: 400, message: expect.any(String) } },
      ]);
    }
    expect(room.enqueue).not.toHaveBeenCalled();
  });

  it.each([
    ['another site’s page', { origin: 'https://elsewhere.example' }],
    ['a name that was pointed to this machine', { host: 'elsewhere.example' }],
  ])('refuses %s', async (_, headers) => {
    const { room } = aMachineRoom();
    const { url } = await startTestSandbox({ machineRoom: room });

    // fetch does not let one choose the host.
    const asked = request(`${url}/machine-room/dead-letters/send/redrive`, { method: 'POST', headers }).end();
    const [answer] = await once(asked, 'response');

    expect([answer.statusCode, JSON.parse(await text(answer)).error.code]).toEqual([403, 403]);
    expect(room.redrive).not.toHaveBeenCalled();
  });

  it('tells of changes until the reader goes', async () => {
    const { room, listeners } = aMachineRoom();
    const { url } = await startTestSandbox({ machineRoom: room });
    const leaving = new AbortController();

    const answer = await fetch(`${url}/machine-room/feed`, { signal: leaving.signal });
    await vi.waitFor(() => expect(listeners.size).toBe(1));
    for (const listener of listeners) listener({ kind: 'send', send: { requestId: 'r-1', state: 'waiting' } });
    let told = '';
    for await (const chunk of answer.body ?? []) {
      told += Buffer.from(chunk).toString();
      if (told.includes('waiting')) break;
    }
    leaving.abort();

    expect(told).toContain('event: send\ndata: {"send":{"requestId":"r-1","state":"waiting"}}');
    await vi.waitFor(() => expect(listeners.size).toBe(0));
  });
});
