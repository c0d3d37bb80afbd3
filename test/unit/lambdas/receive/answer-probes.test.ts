import { describe, expect, it } from 'vitest';
import { PROBE_BODY } from '../../../../lambdas/domain/webhook-probe.ts';
import { answeringProbes } from '../../../../lambdas/receive/answer-probes.ts';
import { createReceiveEvents } from '../../../../lambdas/receive/receive-events.ts';
import type { StoreResult } from '../../../../lambdas/receive/store-events.ts';
import { NOW } from '../../../support/builders.ts';
import { recordingMetrics, silentLog } from '../../../support/telemetry.ts';

const STORED: StoreResult = { kind: 'stored', event: 'message', id: 'message-1' };

const receive = async (body: string) => {
  const metrics = recordingMetrics();
  const stored: string[] = [];
  const storeEvents = answeringProbes(
    async ({ rawBody }) => {
      stored.push(rawBody.toString());
      return [STORED];
    },
    { log: silentLog, metrics },
  );
  const unreachable = async () => {
    throw new Error('A probe must not reach a queue.');
  };
  const inboundQueue = { defer: unreachable, quarantine: unreachable };
  const receiveEvents = createReceiveEvents({ storeEvents, inboundQueue, log: silentLog, metrics });
  const receipt = await receiveEvents({ rawBody: Buffer.from(body), receivedAt: NOW });
  return { receipt, stored, counted: metrics.counted };
};

describe('an authentic probe', () => {
  it('is acknowledged and counted, and reaches neither the table nor a queue', async () => {
    expect(await receive(PROBE_BODY)).toEqual({ receipt: 'stored', stored: [], counted: ['WebhookProbed'] });
  });

  it.each([`${PROBE_BODY} `, '{"parley": "probe"}', '{"parley":"probe","_id_":"1"}', '{}'])(
    'is recognized by its exact bytes, so that no event is dropped: %s',
    async (body) => {
      expect(await receive(body)).toEqual({ receipt: 'stored', stored: [body], counted: [] });
    },
  );
});
