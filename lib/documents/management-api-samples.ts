import type { RouteName } from '../../lambdas/manage/api/route-name.ts';

/** A call of a route as a client could make it, and the answer. */
export interface RouteSample {
  /** The ID in the path, percent-encoded. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly request?: object;
  /** @default the lowest status of the route */
  readonly status?: number;
  readonly response: object;
}

const USER = '+5491155550001';
const REQUEST = { requestId: 'order-4711-shipped', platformContactId: USER, messageText: 'Your parcel is on its way.' };
const OPEN_WINDOW = 'The user wrote at 2026-11-20T11:00:00.000Z, so the window is open.';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

const contact = {
  platformContactId: USER,
  chatPlatform: 'chat',
  name: 'Ana',
  window: { open: true, lastInboundAt: '2026-11-20T11:00:00.000Z', closesAt: '2026-11-21T11:00:00.000Z' },
};

const optIn = { kind: 'opt-in', origin: 'user', at: '2026-11-02T09:30:00.000Z', source: 'registration form' };
const optOut = { kind: 'opt-out', origin: 'user', at: '2026-11-20T11:58:00.000Z', source: 'phone call' };
const effective = ({ at, origin, source }: typeof optIn) => ({ at, origin, source });

const queued = { requestId: REQUEST.requestId, state: 'queued', traceId: TRACE_ID };
const send = {
  requestId: REQUEST.requestId,
  request: REQUEST,
  traceId: TRACE_ID,
  attempts: 1,
  unknownOutcomes: 0,
  queuedAt: '2026-11-20T11:00:04.000Z',
};
const acceptedSend = {
  ...send,
  state: 'accepted',
  decision: OPEN_WINDOW,
  outcome: 'The chat service accepted it with the id 6746f2c1a7d5.',
  endpoint: 'message/v3',
  messageId: '6746f2c1a7d5',
  claimedAt: '2026-11-20T11:00:04.500Z',
  acceptedAt: '2026-11-20T11:00:05.000Z',
};
const uncertainSend = {
  ...send,
  state: 'uncertain',
  decision: OPEN_WINDOW,
  outcome: 'HTTP 502',
  unknownOutcomes: 1,
  claimedAt: '2026-11-20T11:00:04.500Z',
  uncertainAt: '2026-11-20T11:00:05.000Z',
};
const cancelledSend = {
  ...send,
  attempts: 0,
  state: 'cancelled',
  outcome: 'An operator cancelled it.',
  cancelledAt: '2026-11-20T11:30:00.000Z',
};

const erasure = {
  erasureId: '0f3c1c6e-7a39-4a40-9d0b-0a4f9a1f2d11',
  requestedAt: '2026-11-20T12:00:00.000Z',
};
const deadLetter = {
  id: 'b8f0c2a1-5d0e-4a53-9a35-8f4d6f0c7e21',
  queue: 'send',
  reason: 'Not a send request: requestId: is missing.',
  groupId: USER,
  since: '2026-11-12T08:00:00.000Z',
  keptAt: '2026-11-19T08:00:00.000Z',
};
const auditEntry = {
  auditId: '6cd2369b309fd3fdfda463ba3bd3a66b',
  at: '2026-11-20T12:00:00.000Z',
  caller: 'arn:aws:sts::111122223333:assumed-role/crm/ana',
  callerId: 'AROAEXAMPLEID:ana',
};

const conversation = {
  messages: [
    {
      id: '6746f2c1a7d5',
      direction: 'outbound',
      createdAt: '2026-11-20T11:00:05.000Z',
      text: REQUEST.messageText,
      requestId: REQUEST.requestId,
      traceId: TRACE_ID,
      endpoint: 'message/v3',
      deliveredAt: '2026-11-20T11:00:07.000Z',
      readAt: '2026-11-20T11:03:00.000Z',
    },
    {
      id: '6746f2b0c3e1',
      direction: 'inbound',
      createdAt: '2026-11-20T11:00:00.000Z',
      text: 'Where is my parcel?',
    },
  ],
  cursor: 'eyJjb250YWN0U29ydCI6IuKApiJ9',
};

/** A sample of each route. A test checks it against the route's schemas. */
export const ROUTE_SAMPLES: Readonly<Record<RouteName, RouteSample>> = {
  getContact: {
    id: '%2B5491155550001',
    response: {
      ...contact,
      consent: { state: 'opted-in', ...effective(optIn) },
      consents: [optIn],
      check: { at: '2026-11-10T08:00:00.000Z', onPlatform: true, platformContactId: '5491155550001' },
    },
  },
  eraseContact: {
    id: '%2B5491155550001',
    response: { ...erasure, state: 'running', messages: 0, sends: 0, deadLetters: 0, passes: 0 },
  },
  eraseCustomer: {
    id: 'customer-1',
    response: {
      ...erasure,
      state: 'running',
      messages: 0,
      sends: 0,
      deadLetters: 0,
      passes: 0,
      otherAddresses: ['7b1de4a8-2a53-4c1e-8f6f-5d4c0b0f6a77'],
    },
  },
  getErasure: {
    id: erasure.erasureId,
    response: {
      ...erasure,
      state: 'done',
      finishedAt: '2026-11-20T12:00:03.000Z',
      messages: 14,
      sends: 6,
      deadLetters: 0,
      passes: 1,
    },
  },
  listContacts: {
    query: { customerId: 'customer-1' },
    response: {
      customerId: 'customer-1',
      chatPlatform: 'chat',
      contacts: [
        {
          ...contact,
          customerId: 'customer-1',
          consent: { state: 'opted-in', ...effective(optIn) },
          consents: [optIn],
          linkedBy: 'message',
        },
        {
          platformContactId: 'AR.13491208655302741918',
          chatPlatform: 'chat',
          window: { open: false },
          consent: { state: 'none' },
          consents: [],
          linkedBy: 'status',
        },
      ],
      separated: [{ platformContactId: '+5491155550009' }],
    },
  },
  getConversation: {
    id: '%2B5491155550001',
    query: { limit: '2' },
    response: conversation,
  },
  listConversation: {
    query: { customerId: 'customer-1', limit: '2' },
    response: {
      ...conversation,
      messages: conversation.messages.map((message) => ({ ...message, platformContactId: USER })),
    },
  },
  getMessage: {
    id: '6746f2b0c3e1',
    response: {
      id: '6746f2b0c3e1',
      direction: 'inbound',
      createdAt: '2026-11-20T11:00:00.000Z',
      text: 'Where is my parcel?',
      body: '{"_id_":"6746f2b0c3e1","FROM":"+5491155550001","MESSAGE":"Where is my parcel?"}',
    },
  },
  enqueueSend: { request: REQUEST, status: 202, response: queued },
  enqueueSendById: {
    id: REQUEST.requestId,
    request: { platformContactId: USER, messageText: REQUEST.messageText },
    response: queued,
  },
  getSend: { id: REQUEST.requestId, response: { ...acceptedSend, deliveredAt: '2026-11-20T11:00:07.000Z' } },
  listSends: {
    query: { state: 'refused', code: 'WINDOW_CLOSED', since: '2026-11-20T00:00:00Z' },
    response: {
      sends: [
        {
          ...send,
          attempts: 0,
          state: 'refused',
          code: 'WINDOW_CLOSED',
          decision:
            'The user last wrote at 2026-11-19T10:00:00.000Z, so the window is closed. The request has no template, ' +
            'and the stage has no default template.',
          refusedAt: '2026-11-20T11:00:05.000Z',
        },
      ],
    },
  },
  countSends: {
    query: { broadcast: 'summer-sale' },
    response: {
      counts: [
        { state: 'accepted', count: 280 },
        { state: 'refused', code: 'OPTED_OUT', count: 80 },
      ],
    },
  },
  listUncertainSends: { response: { sends: [uncertainSend] } },
  resolveSend: {
    request: {
      requestId: REQUEST.requestId,
      outcome: 'accepted',
      messageId: '6746f2c1a7d5',
      note: 'The user confirmed it.',
    },
    response: {
      ...acceptedSend,
      unknownOutcomes: 1,
      outcome: 'An operator resolved it as accepted.',
      outcomeDetails: 'The user confirmed it.',
    },
  },
  cancelSend: { request: { requestId: REQUEST.requestId }, response: cancelledSend },
  cancelSendById: { id: REQUEST.requestId, response: cancelledSend },
  requeueSend: {
    request: { requestId: REQUEST.requestId },
    response: { ...send, attempts: 0, state: 'queued', sendAt: '2026-11-20T10:00:00.000Z' },
  },
  optIn: {
    request: { platformContactId: USER, origin: 'user', source: optIn.source, at: '2026-11-02T09:30:00Z' },
    response: { ...contact, consent: { state: 'opted-in', ...effective(optIn) }, consents: [optIn] },
  },
  optOut: {
    request: { platformContactId: USER, source: optOut.source },
    response: { ...contact, consent: { state: 'opted-out', ...effective(optOut) }, consents: [optIn, optOut] },
  },
  handOver: {
    request: { platformContactId: USER, note: 'Asked for a person' },
    response: {
      ...contact,
      consent: { state: 'none' },
      consents: [],
      handover: { state: 'people', since: '2026-11-20T12:00:00.000Z' },
    },
  },
  handBack: {
    request: { platformContactId: USER },
    response: {
      ...contact,
      consent: { state: 'none' },
      consents: [],
      handover: { state: 'automated', operatorWroteAt: '2026-11-20T12:03:00.000Z' },
    },
  },
  separateCustomer: {
    request: { platformContactId: USER, customerId: 'customer-1', note: 'The number of another user.' },
    response: {
      ...contact,
      customerId: 'customer-1',
      separatedCustomerIds: ['customer-1'],
      consent: { state: 'none' },
      consents: [],
    },
  },
  reverseSeparation: {
    request: { platformContactId: USER, customerId: 'customer-1' },
    response: { ...contact, customerId: 'customer-1', consent: { state: 'none' }, consents: [] },
  },
  checkContacts: {
    request: { contacts: [USER, '+5491155550002'] },
    response: {
      contacts: [
        { contact: USER, at: '2026-11-20T12:00:00.000Z', onPlatform: true, platformContactId: '5491155550001' },
        { contact: '+5491155550002', at: '2026-11-20T12:00:00.000Z', onPlatform: false },
      ],
    },
  },
  forecastSends: {
    request: {
      contacts: [USER, '+5491155550002'],
      messageText: 'We open at nine.',
      ruleNameOrId: 'opening_hours',
      reason: 'similar',
    },
    response: {
      at: '2026-11-20T12:00:00.000Z',
      forecasts: [
        { contact: USER, decision: 'free-form', why: OPEN_WINDOW, known: true },
        {
          contact: '+5491155550002',
          decision: 'refused',
          code: 'NO_OPT_IN',
          why:
            'The user has never written, so there is no window. No opt-in is recorded, so the business may not write ' +
            'first.',
          known: false,
        },
      ],
    },
  },
  listDeadLetters: { query: { queue: 'send' }, response: { deadLetters: [deadLetter] } },
  getDeadLetter: {
    id: deadLetter.id,
    response: { ...deadLetter, body: '{"platformContactId":"+5491155550001","messageText":"Hi"}' },
  },
  deleteDeadLetter: { id: deadLetter.id, response: { id: deadLetter.id } },
  redriveDeadLetters: {
    request: { queue: 'inbound', reason: 'CREATION_TIME' },
    response: { moved: 12, deleted: 0, left: 3, isComplete: true, before: '2026-11-20T12:00:00.000Z' },
  },
  listAudit: {
    query: { platformContactId: USER, limit: '1' },
    response: {
      entries: [
        {
          ...auditEntry,
          action: 'opt-out',
          contact: { chatPlatform: 'chat', chatChannelNumber: '*', key: '541155550001' },
          consentAt: optOut.at,
          source: optOut.source,
          origin: 'user',
        },
      ],
    },
  },
  recordAudit: {
    request: { action: 'access-token-change' },
    response: { ...auditEntry, action: 'access-token-change' },
  },
  getStage: {
    response: {
      chatPlatform: 'chat',
      chatChannelNumber: '+5491100000000',
      chatServiceUrl: 'https://chat-service.example',
      windowMarginSeconds: 30,
      windowPer: 'user',
      retentionDays: { messages: 365, sends: 365, contacts: 730, audit: 365 },
      circuitBreaker: { state: 'closed' },
      sending: { state: 'running' },
      accessTokenExpiresAt: '2030-11-01T00:00:00.000Z',
    },
  },
  listChannels: {
    response: {
      watches: true,
      echoes: true,
      channels: [
        {
          chatPlatform: 'chat',
          chatChannelNumber: '+5491100000000',
          state: 'silent',
          firstSeenAt: '2026-10-01T08:00:00.000Z',
          lastMessageAt: '2026-11-20T10:00:00.000Z',
          silentSince: '2026-11-20T10:05:00.000Z',
        },
      ],
    },
  },
  listGaps: {
    response: {
      watches: true,
      echoes: true,
      gaps: [{ messageId: '6746f2c1a7d5', firstStatusAt: '2026-11-20T10:45:00.000Z', contact: '5491155550001' }],
    },
  },
  stopSending: {
    request: { note: 'Wrong amounts in the reminders' },
    response: {
      sending: { state: 'stopped', stoppedAt: '2026-11-20T11:00:05.000Z', note: 'Wrong amounts in the reminders' },
    },
  },
  resumeSending: {
    request: { note: 'The amounts are correct again' },
    response: { sending: { state: 'running', resumedAt: '2026-11-20T11:30:00.000Z' } },
  },
  closeCircuitBreaker: {
    request: { note: 'The credit was topped up' },
    response: {
      circuitBreaker: {
        state: 'open',
        why: 'HTTP 500, code 503',
        openedAt: '2026-11-20T11:00:05.000Z',
        nextProbeAt: '2026-11-20T11:20:00.000Z',
      },
    },
  },
  importEvents: {
    request: {
      entries: [
        {
          id: 'MSGH0000000000000001',
          creationTime: '2026-11-20T06:12:00.000Z',
          from: 'user',
          chat: {
            chatId: 'CUST0000000000000001',
            channelId: 'acme-whatsapp-5491100000000',
            contactId: '5491155550001',
          },
          content: { type: 'text', text: 'Where is my order?' },
        },
        { id: 'MSGH0000000000000002', creationTime: 'yesterday', from: 'bot', content: { type: 'text', text: 'Hi' } },
      ],
      dryRun: false,
    },
    response: {
      at: '2026-11-20T12:00:00.000Z',
      results: [
        {
          entry: 0,
          result: 'stored',
          kind: 'message',
          messageId: 'MSGH0000000000000001',
          eventAt: '2026-11-20T06:12:00.000Z',
        },
        {
          entry: 1,
          result: 'unreadable',
          reason: 'It has no time of its own, or none with an offset from UTC.',
        },
      ],
    },
  },
};
