import { describe, expect, it } from 'vitest';
import { USER } from '../../support/builders.ts';
import { playHistory } from './play-history.ts';
import {
  answersOf,
  consent,
  entriesOf,
  eventsOn,
  features,
  freeForm,
  history,
  request,
  START_MS,
  sendOf,
  statesOf,
  template,
  writes,
} from './small-histories.ts';
import type { StageRun } from './stage-run.ts';

describe('an act', () => {
  it('quarantines an unknown event, moves it to the table after a week, and redrives it', async () => {
    const event = { kind: 'unknown-event' as const, body: '{"_id_":7}', afterMs: 0 };
    const kept = await playHistory(history([event]));
    const redriven = await playHistory(
      history([event, { kind: 'redrive', queue: 'inbound', afterMs: 9 * 24 * 60 * 60 * 1000 }]),
    );

    expect(entriesOf(kept, 'queued')).toEqual([expect.objectContaining({ queue: 'inbound-dead-letters' })]);
    expect(kept.endedAtMs - kept.calmAtMs).toBeGreaterThan(7 * 24 * 60 * 60 * 1000);
    expect([...kept.items.keys()].filter((key) => key.startsWith('DEADLETTER#'))).not.toEqual([]);
    expect(kept.queued['inbound-dead-letters']).toEqual([]);
    expect(answersOf(redriven)).toEqual([['redrive', 200]]);
    expect(entriesOf(redriven, 'queued').map(({ queue }) => queue)).toEqual([
      'inbound-dead-letters',
      'inbound',
      'inbound-dead-letters',
    ]);
  });

  it('resolves a send whose outcome is unknown', async () => {
    const outage = {
      kind: 'outage' as const,
      part: 'chat-service' as const,
      how: 'bad-gateway' as const,
      forMs: 10_000,
    };
    const resolve = { kind: 'resolve' as const, requestId: 'request-1', afterMs: 600_000 };
    const acts = [writes(), { ...outage, afterMs: 4_000 }, request(freeForm, { afterMs: 5_000 })];
    const rules = { features: features({ rules: { clientPayload: 'off' } }) };
    const failed = await playHistory(history([...acts, { ...resolve, as: 'failed' }], rules));
    const accepted = await playHistory(history([...acts, { ...resolve, as: 'accepted' }], rules));
    const resent = await playHistory(history([...acts, { ...resolve, as: 'resend' }], rules));

    for (const run of [failed, accepted, resent]) {
      expect(answersOf(run)).toEqual([['resolve', 200]]);
      expect(statesOf(run)).toContain('uncertain');
    }
    expect([failed, accepted, resent].map((run) => sendOf(run)?.state)).toEqual(['rejected', 'accepted', 'accepted']);
  });

  it('rotates the token, which the secret follows', async () => {
    const rotation = { kind: 'rotate-token' as const, secretFollowsMs: 900_000, afterMs: 1_000 };
    const run = await playHistory(history([writes(), rotation, request(freeForm, { afterMs: 5_000 })]));

    const [first] = entriesOf(run, 'call');
    expect(first?.end).toBe('not-done');
    expect(sendOf(run)?.state).toBe('accepted');
  });

  it('approves and withdraws a template', async () => {
    const withdrawal = { kind: 'template' as const, name: 'parcel_update', isApproved: false, afterMs: 1 };
    const run = await playHistory(history([consent(), withdrawal, request(template, { afterMs: 5_000 })]));

    expect(sendOf(run)?.state).toBe('rejected');
  });

  it('moves a user off the platform, whom messages do not reach', async () => {
    const leaves = { kind: 'platform' as const, contact: USER, isOnPlatform: false, afterMs: 1 };
    const run = await playHistory(history([consent(), leaves, request(template, { afterMs: 5_000 })]));
    const checks = { features: features({ rules: { contactCheck: 'beforeFirstTemplate' } }) };
    const checked = await playHistory(history([consent(), leaves, request(template, { afterMs: 5_000 })], checks));

    expect(eventsOn(run)).toContain('MessageFailed');
    expect(sendOf(checked)?.code).toBe('NOT_ON_PLATFORM');
  });

  it.each([
    ['chat-service', 'refused'],
    ['chat-service', 'bad-gateway'],
    ['chat-service', 'throttled'],
    ['chat-service', 'unanswered'],
    ['table', 'throttled'],
    ['table', 'unanswered'],
    ['queues', 'refused'],
    ['queues', 'unanswered'],
    ['bus', 'throttled'],
    ['bus', 'unanswered'],
    ['scheduler', 'refused'],
  ] as const)('makes the %s %s for a while', async (part, how) => {
    const scheduled = {
      ...template,
      params: { name: 'request-2' },
      sendAt: new Date(START_MS + 7_200_000).toISOString(),
    };
    const run = await playHistory(
      history([
        consent(),
        { kind: 'outage', part, how, forMs: 120_000, afterMs: 5_000 },
        writes(6_000),
        { kind: 'unknown-event', body: 'ping', afterMs: 7_000 },
        request({ ...template, onUncertain: 'resend' }, { afterMs: 8_000 }),
        request(scheduled, { requestId: 'request-2', afterMs: 9_000 }),
      ]),
    );

    expect(run.how).toBe('quiet');
    expect(sendOf(run)?.state).toBe('accepted');
    expect(sendOf(run, 'request-2')?.state).toBe('accepted');
    expect(eventsOn(run)).toEqual(expect.arrayContaining(['MessageReceived', 'SendAccepted']));
    const before = await playHistory(
      history([consent(), writes(6_000), request({ ...template, onUncertain: 'resend' }, { afterMs: 8_000 })]),
    );
    const duration = ({ endedAtMs, history: { acts } }: StageRun) => endedAtMs - (acts[0]?.atMs ?? 0);
    expect(duration(run)).toBeGreaterThan(duration(before));
  });

  it('switches a device off, which delays Delivered until it is on again', async () => {
    const device = (isOn: boolean, afterMs: number) => ({ kind: 'device' as const, contact: USER, isOn, afterMs });
    const run = await playHistory(
      history([writes(), device(false, 1_000), request(freeForm, { afterMs: 5_000 }), device(true, 3_600_000)]),
    );

    const delivered = entriesOf(run, 'event').filter(({ eventId }) => eventId.startsWith('delivered '));
    expect(delivered.map(({ atMs }) => atMs - START_MS)).toEqual([3_600_000]);
  });

  it('ends the running processes of one function', async () => {
    const outage = { kind: 'outage', part: 'chat-service', how: 'unanswered', forMs: 60_000, afterMs: 4_000 } as const;
    const run = await playHistory(
      history(
        [
          writes(),
          outage,
          request(freeForm, { afterMs: 5_000 }),
          { kind: 'crash', lambda: 'publish', afterMs: 7_000 },
          { kind: 'crash', lambda: 'send', afterMs: 8_000 },
        ],
        { features: features({ rules: { clientPayload: 'off' } }) },
      ),
    );

    const died = entriesOf(run, 'ended').filter(({ how }) => how === 'died');
    expect(died.map(({ function: name, atMs }) => [name, atMs - START_MS])).toEqual([['send', 8_000]]);
    expect(statesOf(run)).toEqual(['claimed', 'uncertain']);
  });
});
