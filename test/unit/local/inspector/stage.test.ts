import { describe, expect, it } from 'vitest';
import { type ManagementClient, ManagementError } from '../../../../cli/operations/management-client.ts';
import { createStageFeed, createStageOperations } from '../../../../local/inspector/stage.ts';
import type { StageStatus } from '../../../../sandbox/base/inspector.ts';
import { RETENTION_DAYS } from '../../../support/builders.ts';
import { eventually } from '../../../support/eventually.ts';

const CLOSED: StageStatus = { circuitBreaker: { state: 'closed' }, sending: { state: 'running' } };

const settings = {
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  chatServiceUrl: 'http://127.0.0.1:1',
  windowMarginSeconds: 60,
  windowPer: 'user',
  retentionDays: RETENTION_DAYS,
};

describe('the stage', () => {
  it.each([
    ['closeCircuitBreaker', '/v1/circuit-breaker-closures'],
    ['stopSending', '/v1/stops'],
    ['resumeSending', '/v1/resumptions'],
  ] as const)('is changed by %s as by the command, then read', async (action, path) => {
    const calls: unknown[] = [];
    const api: ManagementClient = async (...call) => {
      calls.push(call);
      return { ...settings, ...CLOSED };
    };

    const changed = await createStageOperations(api)[action]('Paid');

    expect(changed).toEqual({ kind: 'changed', stage: CLOSED });
    expect(calls).toEqual([
      ['POST', path, { note: 'Paid' }],
      ['GET', '/v1/stage'],
    ]);
  });

  it('is unchanged if the API refuses the action', async () => {
    const message = 'A probe is in flight.';
    const api: ManagementClient = () => Promise.reject(new ManagementError(409, 'PROBE_IN_FLIGHT', message));

    expect(await createStageOperations(api).closeCircuitBreaker()).toEqual({ kind: 'refused', status: 409, message });
  });
});

describe('the feed of the stage', () => {
  it('pushes the latest stage once, however often it changes during a read', async () => {
    const reads: PromiseWithResolvers<StageStatus>[] = [];
    const pushed: (string | undefined)[] = [];
    const pushStage = createStageFeed(
      () => {
        const read = Promise.withResolvers<StageStatus>();
        reads.push(read);
        return read.promise;
      },
      ({ circuitBreaker }) => pushed.push(circuitBreaker.why),
    );
    const answer = (why: string) => reads.at(-1)?.resolve({ ...CLOSED, circuitBreaker: { state: 'open', why } });

    pushStage();
    pushStage();
    pushStage();
    expect(reads).toHaveLength(1);
    answer('before');
    await eventually(() => (reads.length === 2 ? true : undefined));
    answer('after');
    await eventually(() => (pushed.length === 2 ? true : undefined));
    pushStage();

    expect(pushed).toEqual(['before', 'after']);
    expect(reads).toHaveLength(3);
  });

  it('pushes later changes after a failed read', async () => {
    const answers = [Promise.reject(new ManagementError(0, 'UNREACHABLE', 'down')), Promise.resolve(CLOSED)];
    const pushed: StageStatus[] = [];
    const pushStage = createStageFeed(
      () => answers.shift() ?? Promise.resolve(CLOSED),
      (stage) => pushed.push(stage),
    );

    pushStage();
    await eventually(() => {
      if (pushed.length === 0) pushStage();
      return pushed.length > 0 ? true : undefined;
    });

    expect(pushed[0]).toEqual(CLOSED);
  });
});
