import { describe, expect, it } from 'vitest';
import { freeFormCall, templateCall } from '../../../lambdas/domain/send-call.ts';
import { webhookAuth } from '../../../lambdas/domain/webhook-auth.ts';
import { WEBHOOK_FORMATS } from '../../../lambdas/domain/webhook-formats/formats.ts';
import { contact, NOW, sendRequest, sendRules } from '../../support/builders.ts';
import { parseEvent } from '../../support/single-event.ts';
import { PAGES } from './markdown.ts';

const page = PAGES.find(({ file }) => file === 'docs/provider.md');
const text = page?.text ?? '';

/** Returns the JSON of the first sample under a heading. */
const sampleOf = (heading: string): unknown => {
  const [, section = ''] = text.split(new RegExp(`^### ${heading}$`, 'm'));
  const [, json = ''] = /```json\n(.*?)^```$/ms.exec(section) ?? [];
  return JSON.parse(json);
};

const SETTINGS = sendRules({ chatPlatform: 'whatsapp', chatChannelNumber: '+5491100000000' });
const USER = '+5491150000001';
const request = sendRequest({ requestId: 'order-17', platformContactId: USER, messageText: 'It arrives today.' });

describe('docs/provider.md', () => {
  it('shows the bodies that Parley sends', () => {
    const template = { ruleNameOrId: 'parcel_update', params: { name: 'Ana' } };

    expect(sampleOf('`message/v3`')).toEqual(sent(freeFormCall(request, contact({ address: USER }), SETTINGS).body));
    expect(sampleOf('`intent/v2`')).toEqual(
      sent(templateCall(request, contact({ address: USER }), SETTINGS, template).body),
    );
  });

  it.each(WEBHOOK_FORMATS)("shows a user's message in the format $name", ({ name }) => {
    const context = { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'user' } as const;

    expect(parseEvent(JSON.stringify(sampleOf(`\`${name}\``)), context)).toMatchObject({
      kind: 'event',
      event: { kind: 'message', address: expect.stringMatching(/^\+?5491150000001$/), opensWindow: true },
    });
  });

  it('says which posts each kind of webhook.auth is for', () => {
    const kinds = webhookAuth._zod.def.options.map(({ shape }) => shape.kind._zod.def.values[0]);

    expect(kinds.length).toBeGreaterThan(4);
    for (const kind of kinds) expect(text).toContain(`[\`${kind}\`](receiving.md#${kind})`);
  });
});

/** Leaves out what JSON leaves out. */
const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
