import { type AccountState, type HeldAccount, type HoldReason, nextProbeAt } from '../domain/account.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { SendOutcome } from '../domain/send-outcome.ts';
import type { AccountStore, Clock, Log, Metrics, Randomness } from '../ports.ts';

export interface AccountBreakerPorts {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long a probe may take, its writes included: as long, nobody else begins one. */
  readonly probeLeaseMs: number;
}

/** The right to call: as a probe of a held account, as the first call after a pause, or simply so. */
export interface Pass {
  readonly probeId?: string;
  /** Lets those through who wait for this call; to be called whatever becomes of it. */
  readonly release: () => void;
}

export type Admission = { readonly kind: 'go'; readonly pass: Pass } | HeldAccount;

/** What this process knows is believed for so long; it may vanish with the process. */
const BELIEVED_MS = 5_000;

/**
 * Keeps calls from an account that cannot pay for them or whose token is refused: nothing is sent but one probe at a time,
 * and a probe that is accepted ends it.
 *
 * While the account is open, a process that has had no answer for some seconds makes one call before it makes others side
 * by side, so that a balance which ran out meanwhile costs one call and not a batch of them.
 */
export const createAccountBreaker = (ports: AccountBreakerPorts) => {
  const { accounts, clock, randomness, log, metrics, probeLeaseMs } = ports;
  let known: { readonly state: AccountState; readonly at: Instant } | undefined;
  let answeredAt: Instant | undefined;
  let scout: Promise<void> | undefined;

  const isFresh = (at: Instant | undefined) => at !== undefined && clock.now() < addMs(at, BELIEVED_MS);

  const learn = (state: AccountState): AccountState => {
    known = { state, at: clock.now() };
    return state;
  };

  const sendScout = (): Pass => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scout = promise;
    return {
      release() {
        if (scout === promise) scout = undefined;
        resolve();
      },
    };
  };

  const admit = async (): Promise<Admission> => {
    const state = known?.state ?? { kind: 'open' };
    if (state.kind === 'held') {
      const now = clock.now();
      if (now < state.nextProbeAt) return state;
      const probeId = randomness.newId();
      const taken = await accounts.takeProbe({ probeId, now, leaseUntil: addMs(now, probeLeaseMs) });
      if (taken.kind === 'taken') {
        learn(taken.account);
        return { kind: 'go', pass: { probeId, release: () => undefined } };
      }
      const standing = learn(taken);
      return standing.kind === 'held' ? standing : admit();
    }
    if (isFresh(answeredAt)) return { kind: 'go', pass: { release: () => undefined } };
    if (scout === undefined) return { kind: 'go', pass: sendScout() };
    await scout;
    return admit();
  };

  const held = (state: AccountState, reason: HoldReason, why: string): HeldAccount | undefined => {
    metrics.count('AccountHeld');
    log.error('account held: nothing is sent but one probe at a time', { reason, why });
    learn(state);
    return state.kind === 'held' ? state : undefined;
  };

  return {
    /** Whether the account is to be read with the next contact. */
    isStale: (): boolean => !isFresh(known?.at),
    /** Takes in how the account was read, unless something later is known. */
    learnRead(state: AccountState, askedAt: Instant): void {
      if (known === undefined || known.at <= askedAt) learn(state);
    },
    /** Whether a call may be made now; waits for a first call that is on its way. */
    admit,

    /**
     * Draws from a call's outcome what it says of the account.
     *
     * @param calledAt when the call was claimed
     * @returns the account, where this outcome holds it or keeps it held
     */
    async judge({ probeId }: Pass, calledAt: Instant, outcome: SendOutcome): Promise<HeldAccount | undefined> {
      const now = clock.now();
      const probes = known?.state.kind === 'held' ? known.state.probes : 0;
      const next = nextProbeAt(now, probes);
      if (outcome.kind === 'not-done' && outcome.cause !== 'unavailable') {
        const { cause: reason, explanation: why } = outcome;
        const state =
          probeId === undefined
            ? await accounts.hold({ reason, why, calledAt, heldAt: now, nextProbeAt: nextProbeAt(now, 0) })
            : await accounts.failProbe(probeId, { reason, why, nextProbeAt: next });
        return held(state, reason, why);
      }
      if (probeId === undefined) {
        answeredAt = now;
        return undefined;
      }
      if (outcome.kind === 'accepted') {
        learn(await accounts.resume(probeId, now));
        answeredAt = now;
        metrics.count('AccountResumed');
        log.info('account resumed: a probe was accepted', {});
      } else if (known?.state.kind === 'held') {
        // Neither accepted nor refused for the account's sake: the next request is the next probe.
        const { reason, why } = known.state;
        learn(await accounts.failProbe(probeId, { reason, why, nextProbeAt: next }));
      }
      return undefined;
    },
  };
};

export type AccountBreaker = ReturnType<typeof createAccountBreaker>;
