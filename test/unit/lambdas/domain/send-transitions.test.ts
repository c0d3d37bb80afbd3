import { describe, expect, it } from 'vitest';
import {
  canStartFrom,
  type FromState,
  SEND_STATES,
  SEND_TRANSITIONS,
  type SendGuard,
  type SendState,
  type SendTransition,
} from '../../../../lambdas/domain/send-transitions.ts';

interface Step {
  readonly name: string;
  readonly from: FromState;
  readonly to: SendState;
  readonly by: SendTransition['by'];
  readonly guards: readonly SendGuard[];
}

/** Every transition, once per state that it starts from. */
const STEPS: readonly Step[] = Object.entries<SendTransition>(SEND_TRANSITIONS).flatMap(([name, { from, to, by }]) =>
  (['none', ...SEND_STATES] as const).flatMap((state) => {
    const guards = from[state];
    return guards === undefined ? [] : [{ name, from: state, to, by, guards }];
  }),
);

const stepsFrom = (state: FromState) => STEPS.filter(({ from }) => from === state);
const targets = (steps: readonly Step[]) => [...new Set(steps.map(({ to }) => to))].toSorted();

// The test of the repository checks that the table does what the transitions say. These are the laws they must keep.
describe('the transitions of a send', () => {
  it('reach every state from a new request', () => {
    const reached = new Set<FromState>(['none']);
    for (const _state of SEND_STATES) {
      for (const { from, to } of STEPS) if (reached.has(from)) reached.add(to);
    }
    expect([...reached].toSorted()).toEqual(['none', ...SEND_STATES].toSorted());
  });

  it.each<SendState>(['refused', 'rejected', 'expired', 'cancelled'])(
    'leave %s after a status only if the outcome of an earlier call is unknown',
    (state) => {
      const confirmed = stepsFrom(state).filter(({ by }) => by === 'receive');
      expect(confirmed.map(({ name, guards }) => [name, guards])).toEqual([['confirmEarlier', ['unknown-earlier']]]);
    },
  );

  it.each<SendState>(['expired', 'cancelled'])('leave %s for nothing else', (state) => {
    expect(stepsFrom(state).map(({ name }) => name)).toEqual(['confirmEarlier']);
  });

  it('otherwise leave refused only when a request that could not be processed is redriven', () => {
    const steps = stepsFrom('refused').filter(({ by }) => by === 'send');
    expect(steps.map(({ name, to }) => [name, to])).toEqual([
      ['schedule', 'scheduled'],
      ['claim', 'claimed'],
      ['wait', 'waiting'],
      ['refuse', 'refused'],
      ['expire', 'expired'],
    ]);
    for (const { guards } of steps) {
      expect(guards.filter((guard) => guard !== 'same-address')).toEqual(['same-request', 'processing-failed']);
    }
  });

  it('leave accepted only while just a status is known of the acceptance or the message, or if the message failed', () => {
    expect(stepsFrom('accepted').map(({ name, to, guards }) => [name, to, guards])).toEqual([
      ['accept', 'accepted', ['own-claim', 'confirmed-by-status']],
      ['confirm', 'accepted', ['confirmed-no-earlier']],
      ['identify', 'accepted', ['identified-no-earlier']],
      ['fail', 'failed', ['same-message', 'not-erased']],
    ]);
  });

  it('otherwise leave rejected only when an operator resends the request', () => {
    const steps = stepsFrom('rejected').filter(({ by }) => by !== 'receive');
    expect(steps.map(({ name, to, by }) => [name, to, by])).toEqual([['resend', 'waiting', 'operator']]);
  });

  it('leave uncertain only by an acceptance, an operator, or a request that says resend', () => {
    const automatic = stepsFrom('uncertain').filter(({ by }) => by !== 'operator');
    expect(automatic.map(({ name, to }) => [name, to])).toEqual([
      ['claimAgain', 'claimed'],
      ['accept', 'accepted'],
      ['confirm', 'accepted'],
    ]);
  });

  it('leave claimed only by the owner of the claim, by a status, or by an erasure after the owner died', () => {
    const byOthers = stepsFrom('claimed').filter(({ guards }) => !guards.includes('own-claim'));
    expect(byOthers.map(({ name, by }) => [name, by])).toEqual([
      ['confirm', 'receive'],
      ['loseTrackErased', 'manage'],
    ]);
  });

  it('never claim a send that may be in a call, was sent, or has ended', () => {
    const claims = STEPS.filter(({ name, to }) => to === 'claimed' && name !== 'replaceCall');
    expect(new Set(claims.map(({ from }) => from))).toEqual(
      new Set(['none', 'queued', 'scheduled', 'waiting', 'refused', 'uncertain']),
    );
    expect(claims.filter(({ from }) => from === 'uncertain').map(({ name }) => name)).toEqual(['claimAgain']);
  });

  it('replace a call only under its own claim', () => {
    const replacements = STEPS.filter(({ name }) => name === 'replaceCall');
    expect(replacements.map(({ from, to, guards }) => [from, to, guards])).toEqual([
      ['claimed', 'claimed', ['own-claim']],
    ]);
  });

  it('end a send without a call, or claim it, only for the request that it stores', () => {
    const unguarded = STEPS.filter(({ by, from, guards }) => by === 'send' && from !== 'none' && guards.length === 0);
    expect(unguarded).toEqual([]);
  });

  it('never start from an acceptance or an unknown outcome', () => {
    expect(targets(stepsFrom('none'))).toEqual(['claimed', 'expired', 'queued', 'refused', 'scheduled', 'waiting']);
  });

  it('let an operator or an erasure cancel every send that would still be sent', () => {
    const cancelled = (transition: string) => STEPS.filter(({ name }) => name === transition).map(({ from }) => from);
    expect(cancelled('cancel')).toEqual(['queued', 'scheduled', 'waiting']);
    expect(cancelled('cancelErased')).toEqual(['queued', 'scheduled', 'waiting']);
    expect(cancelled('loseTrackErased')).toEqual(['claimed']);
  });

  it('resolve only what the operator has seen', () => {
    const resolved = STEPS.filter(({ name }) => ['resolveAccepted', 'resolveFailed', 'resend'].includes(name));
    expect(resolved.map(({ name, from, guards }) => [name, from, guards])).toEqual([
      ['resolveAccepted', 'uncertain', ['own-claim', 'note-not-erased']],
      ['resolveFailed', 'uncertain', ['own-claim', 'note-not-erased']],
      ['resend', 'rejected', ['own-claim', 'not-erased']],
      ['resend', 'uncertain', ['own-claim', 'not-erased']],
    ]);
  });
});

describe('canStartFrom', () => {
  it('returns whether a transition can start from a state, regardless of its guards', () => {
    expect(canStartFrom('accept', 'claimed')).toBe(true);
    expect(canStartFrom('accept', 'waiting')).toBe(false);
    expect(canStartFrom('register', 'none')).toBe(true);
    expect(canStartFrom('register', 'queued')).toBe(false);
  });
});
