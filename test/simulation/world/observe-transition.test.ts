import { describe, expect, it } from 'vitest';
import type { Item } from '../../../lambdas/table/item.ts';
import { NOW } from '../../support/builders.ts';
import { observeTransition, type Writer } from './observe-transition.ts';

describe('an observed transition', () => {
  const cases: readonly (readonly [Writer, Item | undefined, Item, string | undefined])[] = [
    ['manage', undefined, { state: 'queued' }, 'register from none'],
    ['send', { failingSince: NOW }, { state: 'claimed' }, 'claim from none'],
    ['send', { state: 'uncertain' }, { state: 'claimed' }, 'claimAgain from uncertain'],
    ['send', { state: 'claimed', call: 1 }, { state: 'claimed', call: 2 }, 'replaceCall from claimed'],
    ['send', { state: 'claimed', failingSince: 1 }, { state: 'claimed', failingSince: 2 }, undefined],
    ['send', { state: 'waiting', waitingAt: 1 }, { state: 'waiting', waitingAt: 2 }, 'wait from waiting'],
    ['send', { state: 'waiting', lastFailedAt: 1 }, { state: 'waiting', lastFailedAt: 2 }, undefined],
    ['manage', { state: 'uncertain' }, { state: 'waiting' }, 'resend from uncertain'],
    ['manage', { state: 'rejected' }, { state: 'waiting' }, 'resend from rejected'],
    ['send', { state: 'uncertain' }, { state: 'accepted' }, 'accept from uncertain'],
    ['receive', { state: 'uncertain' }, { state: 'accepted' }, 'confirm from uncertain'],
    ['drain', { state: 'expired' }, { state: 'accepted' }, 'confirmEarlier from expired'],
    ['manage', { state: 'uncertain' }, { state: 'accepted' }, 'resolveAccepted from uncertain'],
    ['receive', { state: 'accepted', acceptedAt: 2 }, { state: 'accepted', acceptedAt: 1 }, 'confirm from accepted'],
    ['receive', { state: 'accepted' }, { state: 'accepted', identifiedAt: 1 }, 'identify from accepted'],
    ['send', { state: 'accepted', confirmedBy: 'status' }, { state: 'accepted' }, 'accept from accepted'],
    ['receive', { state: 'accepted' }, { state: 'accepted' }, undefined],
    ['receive', { state: 'accepted' }, { state: 'failed' }, 'fail from accepted'],
    ['receive', { state: 'failed', failedAt: 2 }, { state: 'failed', failedAt: 1 }, 'fail from failed'],
    ['receive', { state: 'failed', acceptedAt: 2 }, { state: 'failed', acceptedAt: 1 }, 'confirmFailed from failed'],
    ['drain', { state: 'failed' }, { state: 'failed', identifiedAt: 1 }, 'identifyFailed from failed'],
    ['send', { state: 'failed', confirmedBy: 'status' }, { state: 'failed' }, 'acceptFailed from failed'],
    ['send', { state: 'failed' }, { state: 'accepted' }, 'accept from failed'],
    ['send', { state: 'accepted' }, { state: 'failed' }, 'fail from accepted'],
    ['manage', { state: 'accepted' }, { state: 'failed' }, 'fail from accepted'],
    ['manage', { state: 'scheduled' }, { state: 'cancelled' }, 'cancel from scheduled'],
    ['erase', { state: 'scheduled' }, { state: 'cancelled' }, 'cancelErased from scheduled'],
  ];

  it.each(cases)('%s: %j to %j is %s', (writer, before, after, expected) => {
    const observed = observeTransition(writer, before, after);
    expect(observed && `${observed.name} from ${observed.from}`).toBe(expected);
  });
});
