import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { ACCOUNT, NOW, USER } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
const body = { platformContactId: USER };
let stage: ManagedStage;

beforeEach(async () => {
  stage = await createManagedStage(tables, { rules: { operators: { echoes: true } } });
});

describe('a handover', () => {
  it('lasts until the contact is handed back, at once', async () => {
    const over = await stage.call('handOver', { body: { ...body, note: 'Call +5491155550000' } });
    const read = await stage.call('getContact', { id: USER });
    const back = await stage.call('handBack', { body });

    expect(over).toMatchObject({ status: 200, body: { handover: { state: 'people', since: NOW } } });
    expect(read).toMatchObject({ body: { handover: { state: 'people', since: NOW } } });
    expect(back).toMatchObject({ status: 200, body: { handover: { state: 'automated' } } });
  });

  it('counts although the handback was a moment ago by a clock that is ahead', async () => {
    const contact = contactRef(ACCOUNT.platform, USER);
    await stage.contacts.recordHandover(contact, 'automated', '2026-11-20T12:00:01.000Z');

    expect(await stage.call('handOver', { body })).toMatchObject({ body: { handover: { state: 'people' } } });
    expect(await stage.call('handBack', { body })).toMatchObject({ body: { handover: { state: 'automated' } } });
  });

  it("of an operator's message ends with a handback, even if that message seems to be later", async () => {
    const contact = contactRef(ACCOUNT.platform, USER);
    const message = { at: '2026-11-20T12:00:01.000Z', until: '2026-11-20T13:00:01.000Z' };
    await stage.contacts.recordOperatorMessage(contact, message);
    const before = await stage.call('getContact', { id: USER });

    expect(before).toMatchObject({
      body: { handover: { state: 'people', since: message.at, until: message.until, operatorWroteAt: message.at } },
    });
    expect(await stage.call('handBack', { body })).toMatchObject({ body: { handover: { state: 'automated' } } });
  });

  it('is in the audit trail, with the note masked', async () => {
    await stage.call('handOver', { body: { ...body, note: 'Call +5491155550000' } });
    stage.setNow('2026-11-20T12:00:01.000Z');
    await stage.call('handBack', { body });
    const { body: trail } = await stage.call('listAudit', { query: {} });

    expect(trail).toMatchObject({ entries: [{ action: 'handback' }, { action: 'handover' }] });
    expect(JSON.stringify(trail)).toContain('Call');
    expect(JSON.stringify(trail)).not.toContain('Call +5491155550000');
  });

  it('is refused, and not recorded, in a stage without operators', async () => {
    stage = await createManagedStage(tables);

    expect(await stage.call('handOver', { body })).toEqual({
      status: 409,
      body: {
        code: 'HANDOVERS_OFF',
        message: 'Handovers are off in this stage. Set operators in the settings of the stage, and deploy it.',
      },
    });
    expect(await stage.call('listAudit', { query: {} })).toMatchObject({ body: { entries: [] } });
  });

  it('refuses automated requests in a dry run', async () => {
    await stage.call('handOver', { body });
    const request = { requestId: 'request-1', ...body, messageText: 'Hello.', automated: true };

    expect(await stage.call('enqueueSend', { body: request, query: { dryRun: 'true' } })).toMatchObject({
      body: { decision: 'refused', code: 'HANDED_OVER' },
    });
    expect(stage.queued).toEqual([]);
  });
});
