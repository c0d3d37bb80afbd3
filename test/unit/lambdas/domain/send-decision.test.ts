import { describe, expect, it } from 'vitest';
import type { AddressedRequest } from '../../../../lambdas/domain/addressed-request.ts';
import { type Contact, contactKey } from '../../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../../lambdas/domain/decision.ts';
import { optOutConfirmationId } from '../../../../lambdas/domain/keywords/opt-out-confirmation.ts';
import { decideOutsideWindow, decideSend } from '../../../../lambdas/domain/send-decision.ts';
import {
  contact,
  NOW,
  optIn,
  optOut,
  sendRequest,
  sendRules,
  templateRequest,
  USER,
} from '../../../support/builders.ts';

const freeForm = sendRequest();
const template = templateRequest();
const both = { ...freeForm, ...template };
const open = contact();
const closed = contact({ lastInboundAt: '2026-11-18T12:00:00.000Z' });
const never = contact({ lastInboundAt: undefined });
const optedIn = contact({ lastInboundAt: undefined, consents: [optIn('2026-11-01T00:00:00.000Z')] });
const defaultTemplate = { ruleNameOrId: 'please_write' };

describe('the call that decideSend chooses', () => {
  it.each([
    ['free-form alone, window open', freeForm, open, 'message/v3'],
    ['both, window open', both, open, 'message/v3'],
    ['both, window closed', both, closed, 'intent/v2'],
    ['both, never opened, opted in', both, optedIn, 'intent/v2'],
    ['template alone, window open', template, open, 'intent/v2'],
    ['template alone, window closed', template, closed, 'intent/v2'],
    ['template alone, never opened, opted in', template, optedIn, 'intent/v2'],
  ])('for %s', (_case, request, who, endpoint) => {
    expect(decideSend(request, who, NOW, sendRules())).toMatchObject({ kind: 'call', call: { endpoint } });
  });

  it("sends the stage's default template for a free-form request outside the window", () => {
    const decision = decideSend({ ...freeForm, reason: 'payment' }, closed, NOW, sendRules({ defaultTemplate }));
    expect(decision).toMatchObject({ call: { endpoint: 'intent/v2', body: { ruleNameOrId: 'please_write' } } });
  });

  it("has the contract's fields in the body of message/v3, and the text unchanged", () => {
    const request = sendRequest({ messageText: ' *Hi* \n_there_ ', imageURL: 'https://media.example/a.jpg' });
    expect(decideSend(request, open, NOW, sendRules())).toMatchObject({
      call: {
        body: {
          chatPlatform: 'chat',
          chatChannelNumber: '+5491100000000',
          platformContactId: '5491155550000',
          messageText: ' *Hi* \n_there_ ',
          imageURL: 'https://media.example/a.jpg',
        },
      },
    });
  });

  it('goes to the number in the request when the user never wrote', () => {
    const decision = decideSend(template, { consents: [optIn(NOW)] }, NOW, sendRules());
    expect(decision).toMatchObject({ call: { body: { platformContactId: '+5491155550000' } } });
  });

  it("prefers the request's platform and channel to the stage's", () => {
    const request = sendRequest({ chatPlatform: 'other', chatChannelNumber: '+5511900000000' });
    const decision = decideSend(request, open, NOW, sendRules());
    expect(decision).toMatchObject({ call: { body: { chatPlatform: 'other', chatChannelNumber: '+5511900000000' } } });
  });

  it('carries the request id as clientPayload on intent/v2, and nothing but contract fields on message/v3', () => {
    expect(decideSend(template, closed, NOW, sendRules())).toMatchObject({
      call: { body: { clientPayload: 'request-1' } },
    });
    const decision = decideSend(freeForm, open, NOW, sendRules());
    expect(decision.kind === 'call' && Object.keys(decision.call.body)).toEqual([
      'chatPlatform',
      'chatChannelNumber',
      'platformContactId',
      'messageText',
      'audioURL',
      'imageURL',
      'fileURL',
    ]);
  });
});

describe('the numbers in a call', () => {
  const addressed = (who: Contact, changes: Partial<SendRules> = {}) => {
    const decision = decideSend(template, who, NOW, sendRules(changes));
    return decision.kind === 'call' ? decision.call.body : undefined;
  };
  const checked = { ...optedIn, checkedAt: '2026-11-20T11:00:00.000Z', checkedAddress: '541155550000' };

  it.each([
    ['verbatim', '5491155550000', '+5491100000000'],
    ['plus', '+5491155550000', '+5491100000000'],
    ['digits', '5491155550000', '5491100000000'],
  ] as const)('are written as numberFormat %s says', (numberFormat, platformContactId, chatChannelNumber) => {
    expect(addressed(open, { numberFormat })).toMatchObject({ platformContactId, chatChannelNumber });
  });

  it('leave an id that is not a phone number unchanged in any format', () => {
    expect(addressed({ ...open, address: 'CO.1000123' }, { numberFormat: 'plus' })).toMatchObject({
      platformContactId: 'CO.1000123',
    });
  });

  it('leave the digits of an id on another platform unchanged in any format', () => {
    const request = { ...template, chatPlatform: 'telegram', platformContactId: '1234567890' };
    const contact = { ...optedIn, address: '1234567890' };
    const decision = decideSend(request, contact, NOW, sendRules({ numberFormat: 'plus' }));
    expect(decision.kind === 'call' && decision.call.body).toMatchObject({ platformContactId: '1234567890' });
  });

  // A landline and a mobile phone in Argentina cannot have the same ten digits; see
  // docs/decisions/treat-spellings-of-a-number-as-one-contact.md.
  it.each([
    ['+541143210001', '5491143210001'],
    ['+5491143210001', '541143210001'],
  ])('are those that the user last wrote from: a request to %s goes to %s', (platformContactId, address) => {
    const request = { ...freeForm, platformContactId };
    const decision = decideSend(request, { ...open, address }, NOW, sendRules());
    expect(contactKey(platformContactId)).toBe(contactKey(address));
    expect(decision.kind === 'call' && decision.call.body).toMatchObject({ platformContactId: address });
  });

  it.each(['+541143210001', '+5491143210001'])(
    'are those of the request if the user never wrote: %s',
    (platformContactId) => {
      const { address: _address, ...unknown } = optedIn;
      const decision = decideSend({ ...template, platformContactId }, unknown, NOW, sendRules());
      expect(decision.kind === 'call' && decision.call.body).toMatchObject({ platformContactId });
    },
  );

  it("prefer the contact check's format, with the contract's plus, to the id last received", () => {
    expect(addressed({ ...open, ...checked })).toMatchObject({ platformContactId: '+541155550000' });
    expect(addressed(checked, { numberFormat: 'digits' })).toMatchObject({ platformContactId: '541155550000' });
  });

  it('are not called while a recent contact check found them absent, if the stage checks contacts', () => {
    const absent = { ...optedIn, checkedAt: '2026-11-20T11:00:00.000Z' };
    const decide = (who: Contact, contactCheck: 'off' | 'beforeFirstTemplate') =>
      decideSend(template, who, NOW, sendRules({ contactCheck }));
    expect(decide(absent, 'beforeFirstTemplate')).toMatchObject({ kind: 'refuse', code: 'NOT_ON_PLATFORM' });
    expect(decide(absent, 'off')).toMatchObject({ kind: 'call' });
    expect(decide({ ...absent, checkedAt: '2026-11-19T11:00:00.000Z' }, 'beforeFirstTemplate').kind).toBe('call');
  });
});

describe('clientPayload', () => {
  it.each([
    ['off', undefined, undefined],
    ['intent', 'request-1', undefined],
    ['all', 'request-1', 'request-1'],
  ] as const)('with the setting %s is %s on intent/v2 and %s on message/v3', (clientPayload, onIntent, onMessage) => {
    const payload = (request: AddressedRequest) => {
      const decision = decideSend(request, open, NOW, sendRules({ clientPayload }));
      return decision.kind === 'call' ? decision.call.body.clientPayload : decision;
    };
    expect([payload(template), payload(freeForm)]).toEqual([onIntent, onMessage]);
  });
});

describe('decideSend refuses', () => {
  it.each([
    ['free-form alone, window closed', freeForm, closed, 'WINDOW_CLOSED'],
    ['free-form alone, never opened', freeForm, never, 'WINDOW_CLOSED'],
    ['a template to a user without an opt-in who never wrote', template, never, 'NO_OPT_IN'],
    ['a template without a reason', { ...template, reason: undefined }, closed, 'REASON_MISSING'],
    [
      'a template after an opt-out',
      template,
      { ...closed, consents: [optOut('2026-11-19T00:00:00.000Z')] },
      'OPTED_OUT',
    ],
    [
      'a template after an opt-out later than the opt-in',
      template,
      { ...optedIn, consents: [optIn('2026-11-01T00:00:00.000Z'), optOut('2026-11-02T00:00:00.000Z')] },
      'OPTED_OUT',
    ],
    ['a GIF', sendRequest({ imageURL: 'https://media.example/a.GIF?size=1' }), open, 'MEDIA_UNSUPPORTED'],
    ['a video', sendRequest({ fileURL: 'https://media.example/a.mp4' }), open, 'MEDIA_UNSUPPORTED'],
    ['a video as an image', sendRequest({ imageURL: 'https://media.example/a.webm' }), open, 'MEDIA_UNSUPPORTED'],
    ['a video as audio', sendRequest({ audioURL: 'https://media.example/a.mov' }), open, 'MEDIA_UNSUPPORTED'],
    ['media that is not https', sendRequest({ audioURL: 'http://media.example/a.ogg' }), open, 'MEDIA_UNSUPPORTED'],
  ])('%s', (_case, request, who, code) => {
    expect(decideSend(request, who, NOW, sendRules())).toMatchObject({ kind: 'refuse', code });
  });

  it('no template without a reason inside the window, where it opens no conversation', () => {
    expect(decideSend({ ...template, reason: undefined }, open, NOW, sendRules()).kind).toBe('call');
  });
});

describe('a template that the stage lists', () => {
  const rules = { templates: { hello: ['name', 'day'], bye: [] } };
  const decide = (ruleNameOrId: string, params?: Record<string, string>, changes: Partial<SendRules> = {}) =>
    decideSend({ ...template, ruleNameOrId, params }, closed, NOW, sendRules({ ...rules, ...changes }));

  it('is sent with all of its variables, and others are not checked', () => {
    expect(decide('hello', { name: 'Ana', day: 'today' }).kind).toBe('call');
    expect(decide('bye').kind).toBe('call');
    expect(decide('constructor', { any: 'thing' }).kind).toBe('call');
  });

  it.each([
    ['hello', undefined, 'are missing name, day'],
    ['hello', { name: 'Ana', dya: 'today' }, 'are missing day and include variables other than name, day'],
    ['bye', { name: 'Ana' }, 'include variables, but the template has none'],
  ])('%s is refused with %o', (name, params, fault) => {
    expect(decide(name, params)).toEqual({
      kind: 'refuse',
      code: 'PARAMS_INVALID',
      why: `The params for the template ${name} ${fault}.`,
    });
  });

  it('is checked inside the window, after error 201, and as the default template', () => {
    const request = { ...template, ruleNameOrId: 'hello' };
    const listed = sendRules(rules);
    expect(decideSend(request, open, NOW, listed)).toMatchObject({ code: 'PARAMS_INVALID' });
    expect(decideOutsideWindow(request, open, NOW, listed, 'Error 201.')).toMatchObject({ code: 'PARAMS_INVALID' });
    const byDefault = sendRules({ ...rules, defaultTemplate: { ruleNameOrId: 'hello' } });
    expect(decideSend(freeForm, closed, NOW, byDefault)).toMatchObject({ code: 'PARAMS_INVALID' });
  });

  it('does not matter to a free-form message inside the window', () => {
    const both = { ...template, ...freeForm, ruleNameOrId: 'hello' };
    expect(decideSend(both, open, NOW, sendRules(rules)).kind).toBe('call');
  });
});

describe('unless the user wrote since', () => {
  const unless = { unless: ['userWroteSince' as const] };
  const decide = (since: string, request = freeForm, who = open) =>
    decideSend({ ...request, ...unless, since }, who, NOW, sendRules());

  it.each([
    ['an earlier time', '2026-11-20T10:59:59.999Z', 'refuse'],
    ['the time of the latest message', '2026-11-20T11:00:00.000Z', 'call'],
    ['the same time with an offset', '2026-11-20T08:00:00-03:00', 'call'],
    ['a later time', '2026-11-20T11:00:00.001Z', 'call'],
  ])('%s', (_case, since, kind) => {
    expect(decide(since).kind).toBe(kind);
  });

  it('names both times', () => {
    expect(decide('2026-11-20T10:00:00Z')).toEqual({
      kind: 'refuse',
      code: 'SUPERSEDED',
      why: 'The user wrote at 2026-11-20T11:00:00.000Z, after 2026-11-20T10:00:00.000Z, so the request is superseded.',
    });
  });

  it('holds for templates too, and for one that replaces a free-form message after error 201', () => {
    const since = '2026-11-20T10:00:00Z';
    expect(decide(since, template)).toMatchObject({ code: 'SUPERSEDED' });
    const request = { ...template, ...unless, since };
    expect(decideOutsideWindow(request, open, NOW, sendRules(), 'Error 201.')).toMatchObject({ code: 'SUPERSEDED' });
  });

  it('does not matter to a user who never wrote, nor once the request has expired', () => {
    expect(decide('2026-11-20T10:00:00Z', template, optedIn).kind).toBe('call');
    const expired = { ...freeForm, notAfter: '2026-11-20T11:30:00Z' };
    expect(decide('2026-11-20T10:00:00Z', expired).kind).toBe('expire');
  });
});

describe('audio', () => {
  it.each(['mpeg', 'mpg', 'mp4', 'webm', '3gp', 'ogg', 'mp3'])('in a .%s file is sent', (extension) => {
    const request = sendRequest({ audioURL: `https://media.example/voice.${extension}` });
    expect(decideSend(request, open, NOW, sendRules())).toMatchObject({
      kind: 'call',
      call: { endpoint: 'message/v3' },
    });
  });
});

describe('an opt-out inside the open window', () => {
  const at = (time: string) => `2026-11-20T${time}.000Z`;
  const decide = (request: AddressedRequest, changes: Partial<Contact>, rules: Partial<SendRules> = {}) =>
    decideSend(request, contact(changes), NOW, sendRules(rules));
  const refused = { kind: 'refuse', code: 'OPTED_OUT' };
  /** The user wrote at 11:00 and opted out a second later. */
  const optedOut = { consents: [optOut(at('11:00:01'))] };

  it('blocks a template, even after an earlier opt-in', () => {
    expect(decide(template, optedOut)).toMatchObject(refused);
    expect(decide(template, { consents: [...optedOut.consents, optIn(at('10:00:00'))] })).toMatchObject(refused);
  });

  it('blocks a template even after the user wrote again', () => {
    expect(decide(template, { consents: [optOut(at('10:00:00'))] })).toMatchObject(refused);
  });

  it('blocks a free-form message until the user writes again', () => {
    expect(decide(freeForm, optedOut)).toMatchObject(refused);
    expect(decide(freeForm, { consents: [optOut(at('11:00:00'))] })).toMatchObject(refused);
    expect(decide(freeForm, { consents: [optOut(at('10:59:59'))] })).toMatchObject({ kind: 'call' });
  });

  it("is not lifted by an earlier message that seems later, because the chat service's clock is ahead", () => {
    const keyword = { source: 'keyword STOP', messageId: 'stop', ownAt: at('11:15:00') };
    const decideAfter = (written: Partial<Contact>) =>
      decide(freeForm, { consents: [optOut(at('11:05:00'), keyword)], ...written });

    expect(decideAfter({ lastInboundAt: at('11:10:00') })).toMatchObject(refused);
    expect(decideAfter({ lastInboundAt: at('11:10:00'), lastInboundOwnAt: at('11:20:00') }).kind).toBe('call');
    expect(decideAfter({ lastInboundAt: at('11:20:00') }).kind).toBe('call');
  });

  it('ends with a later opt-in, for templates and free-form messages', () => {
    const again = { consents: [...optedOut.consents, optIn(at('11:00:02'))] };
    expect(decide(template, again).kind).toBe('call');
    expect(decide(freeForm, again).kind).toBe('call');
  });

  it('is explained by its origin', () => {
    expect(decide(template, optedOut)).toMatchObject({
      why: expect.stringContaining(
        'The user opted out at 2026-11-20T11:00:01.000Z, and no opt-in has overridden that.',
      ),
    });
    const byImport = { consents: [optOut(at('11:00:01'), { origin: 'import' })] };
    expect(decide(freeForm, byImport)).toMatchObject({
      why: expect.stringContaining(
        'An import opted the user out at 2026-11-20T11:00:01.000Z, and the user has not written since.',
      ),
    });
  });

  it('does not block reasons that the stage exempts', () => {
    const rules = { optOutExemptReasons: ['payment' as const] };
    expect(decide({ ...template, reason: 'payment' }, optedOut, rules).kind).toBe('call');
    expect(decide({ ...freeForm, reason: 'payment' }, optedOut, rules).kind).toBe('call');
    expect(decide(template, optedOut, rules)).toMatchObject(refused);
  });

  it('does not stand in for an opt-in, even for a reason that the stage exempts', () => {
    const rules = { optOutExemptReasons: ['payment' as const] };
    const neverOptedIn = contact({ lastInboundAt: undefined, consents: [optOut(at('10:00:00'))] });
    const optedInBefore = { ...neverOptedIn, consents: [optIn(at('09:00:00')), optOut(at('10:00:00'))] };
    expect(decide({ ...template, reason: 'payment' }, neverOptedIn, rules)).toMatchObject({
      kind: 'refuse',
      code: 'NO_OPT_IN',
    });
    expect(decide({ ...template, reason: 'payment' }, optedInBefore, rules).kind).toBe('call');
  });

  it('blocks the template that would follow a free-form message answered with error 201', () => {
    const writtenSince = contact({ consents: [optOut(at('10:00:00'))] });
    expect(decideOutsideWindow(both, writtenSince, NOW, sendRules(), 'Error 201.')).toMatchObject(refused);
  });
});

describe('the confirmation of an opt-out', () => {
  const at = (time: string) => `2026-11-20T${time}.000Z`;
  const requestId = optOutConfirmationId('message-1');
  const confirmation: AddressedRequest = { requestId, platformContactId: USER, confirmsOptOut: true };
  const confirming = { optOutConfirmation: 'You will get no more messages.' };
  const decide = (changes: Partial<Contact>, request = confirmation, rules: Partial<SendRules> = confirming) =>
    decideSend(request, contact(changes), NOW, sendRules({ defaultTemplate, ...rules }));
  const BY_KEYWORD = { source: 'keyword STOP', messageId: 'message-1' };
  /** The user wrote STOP at 11:00. */
  const stopped = { lastInboundAt: at('11:00:00'), consents: [optOut(at('11:00:00'), BY_KEYWORD)] };

  it('has the text of the stage, and says why it is sent', () => {
    expect(decide(stopped)).toMatchObject({
      kind: 'call',
      call: { endpoint: 'message/v3', body: { messageText: 'You will get no more messages.' } },
      why:
        'The user wrote at 2026-11-20T11:00:00.000Z, so the window is open. ' +
        'The user opted out at 2026-11-20T11:00:00.000Z, and this message confirms it.',
    });
  });

  it('is sent if an import opts the user out as well', () => {
    const consents = [...stopped.consents, optOut(at('11:00:01'), { origin: 'import' })];
    expect(decide({ ...stopped, consents }).kind).toBe('call');
  });

  it('is sent if the user has written since', () => {
    expect(decide({ ...stopped, lastInboundAt: at('11:00:01') }).kind).toBe('call');
  });

  it.each([
    ['is not a keyword', [optOut(at('11:00:00'))]],
    ['is another message', [optOut(at('11:00:00'), { ...BY_KEYWORD, messageId: 'message-2' })]],
    [
      'was overridden before an import',
      [optOut(at('11:00:00'), BY_KEYWORD), optIn(at('11:00:01')), optOut(at('11:00:02'), { origin: 'import' })],
    ],
  ])('is refused if the opt-out %s', (_what, consents) => {
    expect(decide({ ...stopped, consents })).toMatchObject({
      kind: 'refuse',
      code: 'OPTED_OUT',
      why: expect.stringContaining('and this request is not the confirmation that Parley queued for it.'),
    });
  });

  it('does not let the same text through in another request', () => {
    const { optOutConfirmation: messageText } = confirming;
    for (const request of [sendRequest({ messageText }), template, both]) {
      expect(decide(stopped, request)).toMatchObject({ kind: 'refuse', code: 'OPTED_OUT' });
    }
  });

  it('is refused if there is no opt-out, or a later opt-in', () => {
    const refused = { kind: 'refuse', code: 'SUPERSEDED' };
    expect(decide({ ...stopped, consents: [] })).toMatchObject(refused);
    expect(decide({ ...stopped, consents: [...stopped.consents, optIn(at('11:00:01'))] })).toMatchObject(refused);
  });

  it('is refused in a stage without one', () => {
    expect(decide(stopped, confirmation, {})).toMatchObject({ kind: 'refuse', code: 'OPTED_OUT' });
  });

  it('is not replaced by the default template outside the window', () => {
    const exempt = { ...confirming, optOutExemptReasons: ['payment' as const] };
    const decision = decide({ lastInboundAt: undefined }, { ...confirmation, reason: 'payment' }, exempt);
    expect(decision).toMatchObject({ kind: 'refuse', code: 'WINDOW_CLOSED' });
  });
});

describe('notAfter', () => {
  it.each([
    ['2026-11-20T12:00:00Z', 'call'],
    ['2026-11-20T09:00:00.000-03:00', 'call'],
    ['2026-11-20T11:59:59.999Z', 'expire'],
  ])('%s at noon decides %s', (notAfter, kind) => {
    expect(decideSend(sendRequest({ notAfter }), open, NOW, sendRules()).kind).toBe(kind);
  });
});
