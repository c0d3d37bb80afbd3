import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage, OPERATOR } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const LATER = '2026-11-20T12:05:00.000Z';
const stop = (note = 'Wrong template') => stage.call('stopSending', { body: { note } });
const resume = (body: object = {}) => stage.call('resumeSending', { body });
const sending = async () => Object((await stage.call('getStage')).body).sending;
const entries = async () => Object((await stage.call('listAudit')).body).entries;
const valuesOf = (metric: string) => stage.samples.flatMap(({ name, value }) => (name === metric ? [value] : []));

describe('stopping sending', () => {
  it('is shown with its note until an operator resumes sending, and reported at once', async () => {
    expect(await stop()).toEqual({
      status: 200,
      body: { sending: { state: 'stopped', stoppedAt: NOW, note: 'Wrong template' } },
    });
    expect(await sending()).toEqual({ state: 'stopped', stoppedAt: NOW, note: 'Wrong template' });

    stage.setNow(LATER);
    expect(await resume()).toEqual({ status: 200, body: { sending: { state: 'running', resumedAt: LATER } } });

    expect(await sending()).toEqual({ state: 'running', resumedAt: LATER });
    expect(valuesOf('SendingStopped')).toEqual([1, 0]);
  });

  it('is audited with who and why, before it takes effect, and without numbers', async () => {
    await stop('Ask +5491155550000');
    stage.setNow(LATER);
    await resume({ note: 'Fixed' });

    const caller = OPERATOR.arn;
    expect(await entries()).toMatchObject([
      { action: 'sending-resumption', at: LATER, caller, note: 'Fixed' },
      { action: 'sending-stop', at: NOW, caller, note: expect.not.stringContaining('5491155550000') },
    ]);
    expect(JSON.stringify(await stage.items())).not.toContain('5491155550000');
  });

  it('again replaces the note', async () => {
    await stop();
    expect(await stop('Two templates are wrong')).toMatchObject({
      body: { sending: { state: 'stopped', note: 'Two templates are wrong' } },
    });
  });

  it('follows the act that it answers, even if the clock that timed that one was ahead', async () => {
    stage.setNow(LATER);
    await stop();
    stage.setNow(NOW);
    expect(await resume()).toMatchObject({ body: { sending: { state: 'running' } } });
    expect(await stop()).toMatchObject({ body: { sending: { state: 'stopped' } } });
  });

  it('needs a note that says why', async () => {
    for (const body of [{}, { note: '' }, { note: 1 }, { note: 'x', until: 'y' }]) {
      expect(await stage.call('stopSending', { body })).toMatchObject({ status: 400 });
    }
    expect(await sending()).toEqual({ state: 'running' });
    expect(await entries()).toEqual([]);
  });
});

describe('resuming sending that is not stopped', () => {
  it('changes nothing but the time of the resumption', async () => {
    expect(await resume()).toMatchObject({ status: 200, body: { sending: { state: 'running' } } });
  });
});
