import { describe, expect, it } from 'vitest';
import { sendRequest, USER } from '../../support/builders.ts';
import { HOUR_MS } from './durations.ts';
import { observeReport } from './observe-report.ts';
import { playHistory } from './play-history.ts';
import {
  consent,
  entriesOf,
  eventsOn,
  features,
  freeForm,
  history,
  request,
  sendOf,
  template,
  writes,
} from './small-histories.ts';

const PLAIN = { closesEarlyMs: 0, maxDeviceMs: 60_000, answersIntentsWithoutId: false };
const both = { ...sendRequest({ messageText: 'request-1: It is on its way.' }), ...template, reason: 'payment' };

describe('what a chat service may do differently', () => {
  it('closes a window early, so that a template replaces the free-form message', async () => {
    const run = await playHistory(
      history([writes(), request(both, { afterMs: 23.5 * HOUR_MS })], {
        features: features({ chatService: { ...PLAIN, closesEarlyMs: HOUR_MS } }),
      }),
    );

    const calls = entriesOf(run, 'call').map(({ endpoint, end }) => [endpoint, end]);
    expect(calls).toEqual([
      ['message/v3', 'window-closed'],
      ['intent/v2', 'accepted'],
    ]);
  });

  it('answers an intent without an id, so that a status adds it', async () => {
    const run = await playHistory(
      history([consent(), request({ ...template, reason: 'payment' }, { afterMs: 1_000 })], {
        features: features({ chatService: { ...PLAIN, answersIntentsWithoutId: true } }),
      }),
    );

    const send = entriesOf(run, 'write').filter(({ key }) => key === 'SEND#request-1 SEND');
    expect(send.find(({ after }) => after?.state === 'accepted')?.after?.messageId).toBeUndefined();
    expect(sendOf(run)).toMatchObject({ state: 'accepted', messageId: 'message-of-request-1-1' });
  });

  it('reports only much later that a message reached the device', async () => {
    const delivered = async (maxDeviceMs: number) => {
      const chatService = { ...PLAIN, maxDeviceMs };
      const acts = [consent(), request(template, { afterMs: 1_000 })];
      const run = await playHistory(history(acts, { seed: 3, features: features({ chatService }) }));
      return (entriesOf(run, 'event')[0]?.atMs ?? 0) - (entriesOf(run, 'call')[0]?.atMs ?? 0);
    };

    expect(await delivered(48 * HOUR_MS)).toBeGreaterThan(60_000);
    expect(await delivered(60_000)).toBeLessThanOrEqual(60_000);
  });

  it('writes statuses in upper case, reports that a message was sent, and calls a failure an error', async () => {
    const statuses = { isUpperCase: true, reportsSent: true, failure: 'error' } as const;
    const acts = [
      writes(),
      { kind: 'platform', contact: USER, isOnPlatform: false, afterMs: 500 } as const,
      request(freeForm, { afterMs: 1_000 }),
    ];
    const run = await playHistory(history(acts, { features: features({ chatService: { ...PLAIN, statuses } }) }));

    const reported = entriesOf(run, 'event').map(({ body }) => JSON.parse(body).STATUS);
    expect(reported).toEqual([undefined, 'SENT', 'ERROR']);
    expect(eventsOn(run)).toEqual(expect.arrayContaining(['MessageStatusChanged', 'MessageFailed']));
  });

  it('adds an unknown STATUS to a message, which opens no window, and reports one of a sent message', async () => {
    const chatService = { ...PLAIN, unknownStatusRate: 1 };
    const acts = [writes(), consent(), request(template, { afterMs: 1_000 })];
    const run = await playHistory(history(acts, { features: features({ content: true, chatService }) }));

    const reports = entriesOf(run, 'event').map(({ source = {} }) => observeReport(source));
    expect(reports).toEqual(['message with an unknown status', 'status delivered', 'unknown status']);
    const items = [...run.items.values()];
    expect(items.filter(({ direction }) => direction === 'inbound')).toHaveLength(1);
    expect(items.filter(({ lastInboundAt }) => lastInboundAt !== undefined)).toEqual([]);
    expect(eventsOn(run)).toContain('MessageStatusChanged');
  });

  it('reports an echo of a message that Parley sent', async () => {
    const chatService = { ...PLAIN, echoRate: 1 };
    const acts = [consent(), request(template, { afterMs: 1_000 })];
    const run = await playHistory(history(acts, { features: features({ chatService }) }));

    expect(run.items.get('MESSAGE#message-of-request-1-1 ECHO')).toMatchObject({ direction: 'echo' });
    expect(run.items.get('MESSAGE#message-of-request-1-1 MESSAGE')).toMatchObject({ direction: 'outbound' });
  });
});
