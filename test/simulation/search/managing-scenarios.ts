import { claim, queuedSend, sendResult, USER } from '../../support/builders.ts';
import { credit } from './events.ts';
import {
  AN_HOUR_AGO,
  IN_JANUARY,
  laterRequest,
  openWindow,
  optedIn,
  putDue,
  registered,
  repositoriesOf,
  request,
  SOMEBODY_ELSE,
  scheduled,
  storeEvent,
  template,
  uncertain,
  waiting,
  wireMessage,
  wireStatus,
} from './prepared.ts';
import type { Scene } from './scene.ts';
import type { ApiCaller } from './scene-options.ts';
import type { SceneScenario } from './scene-scenarios.ts';

const register = (name: string, body: object = request): ApiCaller => ({
  name,
  request: { route: 'enqueueSendById', id: 'request-1', body },
});
const other = { ...request, messageText: 'request-1: Your parcel has arrived.' };
const cancel: ApiCaller = { name: 'cancel', request: { route: 'cancelSendById', id: 'request-1' } };
const cancelBesideQueue: ApiCaller = {
  name: 'cancel',
  request: { route: 'cancelSend', body: { requestId: 'request-1' } },
};
const resolve = (name: string, outcome: string): ApiCaller => ({
  name,
  request: {
    route: 'resolveSend',
    body: { requestId: 'request-1', outcome, ...(outcome === 'accepted' && { messageId: 'message-1' }) },
  },
});
const consent = (name: string, route: 'optIn' | 'optOut', changes: object = {}): ApiCaller => ({
  name,
  request: { route, body: { platformContactId: USER, source: 'call', ...changes } },
});
const handover = (name: string, route: 'handOver' | 'handBack'): ApiCaller => ({
  name,
  request: { route, body: { platformContactId: USER } },
});
const status = { event: wireStatus({ CLIENT_PAYLOAD: 'request-1', CREATION_TIME: '2026-11-20T11:30:00.000Z' }) };
const check: ApiCaller = { name: 'check', request: { route: 'checkContacts', body: { contacts: [USER] } } };

const withUncertain = async (scene: Scene): Promise<void> => {
  await openWindow(scene);
  await uncertain(scene);
};
const rejectedAfterResend = async (scene: Scene): Promise<void> => {
  await withUncertain(scene);
  const { sends } = repositoriesOf(scene);
  const send = await sends.read('request-1');
  if (send) await sends.resolve(send, { outcome: 'resend', at: AN_HOUR_AGO, why: 'Asked for.' });
  const again = claim({ claimId: 'claim-2', claimedAt: AN_HOUR_AGO });
  await sends.claim(queuedSend(request), again, { resend: false });
  await sends.recordResult('request-1', again.claimId, sendResult('rejected', AN_HOUR_AGO));
};
const read = (name: string, route: ApiCaller['request']['route'], more: object = {}): ApiCaller => ({
  name,
  request: { route, ...more },
});

/** A user's message, as API v2.0 returns it. */
const HISTORY_ENTRY = {
  id: 'history-1',
  creationTime: AN_HOUR_AGO,
  from: 'user',
  chat: { contactId: USER },
  content: { type: 'text', text: 'Hello?' },
};

const requeue = (name: string): ApiCaller => read(name, 'requeueSend', { body: { requestId: 'request-1' } });
/** The time of a scheduled request has passed, and nothing has put it on the queue. */
const overdue = async (scene: Scene): Promise<void> => {
  await openWindow(scene);
  await scheduled(scene, { isDue: true, isQueued: false });
};

export const MANAGING_SCENARIOS = {
  registerTwice: {
    useCase: 'register',
    about: 'A request is registered twice concurrently, and sent.',
    maxFaults: 1,
    slice: ['fails-after', 'dies-after'],
    options: { prepare: openWindow, consumes: ['send'], callers: [register('first'), register('second')] },
  },
  registerOther: {
    useCase: 'register',
    about: 'Two requests with the same ID are registered concurrently.',
    maxFaults: 1,
    slice: ['dies-before'],
    options: {
      prepare: openWindow,
      consumes: ['send'],
      callers: [{ name: 'first', request: { route: 'enqueueSend', body: request } }, register('second', other)],
    },
  },
  registerBesideQueue: {
    useCase: 'register',
    about: 'A request is registered, and a producer has already put it on the queue.',
    maxFaults: 1,
    slice: ['fails-before'],
    options: { prepare: openWindow, consumes: ['send'], queued: [request], callers: [register('first')] },
  },
  registerOtherThanQueued: {
    useCase: 'register',
    about: 'A request is registered, and a producer has already put another one with the same ID on the queue.',
    slice: ['dies-after'],
    options: { prepare: openWindow, consumes: ['send'], queued: [request], callers: [register('first', other)] },
  },
  cancelWhileScheduling: {
    useCase: 'cancel',
    about: 'A request is cancelled while it is being scheduled.',
    slice: ['fails-after'],
    options: { prepare: openWindow, consumes: ['send'], queued: [laterRequest], callers: [cancel] },
  },
  cancelWhenDue: {
    useCase: 'cancel',
    about: 'A scheduled request is cancelled after its schedule has put it on the queue.',
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await scheduled(scene, { isDue: true });
      },
      consumes: ['send'],
      callers: [cancelBesideQueue],
    },
  },
  cancelScheduled: {
    useCase: 'cancel',
    about: 'A scheduled request is cancelled before it is due.',
    slice: ['fails-before', 'fails-after', 'dies-before', 'dies-after'],
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await scheduled(scene, { isDue: false });
      },
      consumes: ['send'],
      callers: [cancel],
    },
  },
  cancelQueued: {
    useCase: 'cancel',
    about: 'A request is cancelled while its message is in the queue.',
    slice: ['fails-after', 'dies-after'],
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await registered(scene);
      },
      consumes: ['send'],
      queued: [request],
      callers: [cancel],
    },
  },
  cancelWaiting: {
    useCase: 'cancel',
    about: 'A request is cancelled while it waits to be sent again.',
    slice: ['dies-before'],
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await waiting(scene);
      },
      consumes: ['send'],
      queued: [request],
      callers: [cancelBesideQueue],
    },
  },
  requeueLost: {
    useCase: 'requeue',
    about: 'A scheduled request whose schedule is lost is requeued twice concurrently.',
    slice: ['dies-after'],
    maxFaults: 1,
    options: { prepare: overdue, consumes: ['send'], callers: [requeue('requeue'), requeue('again')] },
  },
  requeueBesideSchedule: {
    useCase: 'requeue',
    about: 'An overdue scheduled request is requeued, and its late schedule puts it on the queue, too.',
    slice: ['fails-after'],
    maxFaults: 1,
    options: {
      prepare: overdue,
      consumes: ['send'],
      callers: [requeue('requeue')],
      events: [
        {
          label: 'the late schedule runs',
          writes: 'queue send',
          happen: (scene) => putDue(scene),
        },
      ],
    },
  },
  resolveAcceptedAndStatus: {
    useCase: 'resolve',
    about: 'An uncertain send is resolved as accepted while a status of its message arrives.',
    maxFaults: 1,
    slice: ['dies-after'],
    options: {
      prepare: withUncertain,
      consumes: ['inbound'],
      callers: [resolve('resolve', 'accepted')],
      posts: [status],
    },
  },
  resolveFailedAndStatus: {
    useCase: 'resolve',
    about: 'An uncertain send is resolved as failed while a status of its message arrives.',
    maxFaults: 1,
    slice: ['fails-after'],
    options: {
      prepare: withUncertain,
      consumes: ['inbound'],
      callers: [resolve('resolve', 'failed')],
      posts: [status],
    },
  },
  resendAndStatus: {
    useCase: 'resolve',
    about: 'An uncertain send is resent while a status of its message arrives.',
    maxFaults: 1,
    options: {
      prepare: withUncertain,
      consumes: ['send', 'inbound'],
      callers: [resolve('resend', 'resend')],
      posts: [status],
    },
  },
  resendAndRedelivery: {
    useCase: 'resolve',
    about: 'An uncertain send is resent while its first message is delivered again.',
    maxFaults: 1,
    slice: ['dies-after'],
    options: { prepare: withUncertain, consumes: ['send'], queued: [request], callers: [resolve('resend', 'resend')] },
  },
  resolveAgainst: {
    useCase: 'resolve',
    about: 'Two operators resolve a send concurrently, one as accepted and one as failed.',
    slice: ['fails-before'],
    options: {
      prepare: withUncertain,
      callers: [resolve('accepted', 'accepted'), resolve('failed', 'failed')],
    },
  },
  resolveFailed: {
    useCase: 'resolve',
    about: 'A send is resolved as failed twice.',
    slice: ['fails-before', 'fails-after', 'dies-before', 'dies-after'],
    options: { prepare: withUncertain, callers: [resolve('resolve', 'failed'), read('list', 'listUncertainSends')] },
  },
  consents: {
    useCase: 'consent',
    about: "A user's opt-out and two opt-ins, one of them imported, are recorded concurrently.",
    slice: ['fails-after'],
    maxFaults: 1,
    options: {
      callers: [
        consent('out', 'optOut', { at: AN_HOUR_AGO }),
        consent('into', 'optIn', { at: IN_JANUARY, origin: 'user' }),
        consent('import', 'optIn', { at: '2026-11-20T11:30:00.000Z' }),
      ],
    },
  },
  optOutsOfTwoTimes: {
    useCase: 'consent',
    about: 'Two opt-outs with different times are recorded concurrently.',
    slice: ['fails-before', 'dies-after'],
    options: {
      callers: [consent('earlier', 'optOut', { at: AN_HOUR_AGO }), consent('later', 'optOut', { source: 'form' })],
    },
  },
  optOutWhileSending: {
    useCase: 'consent',
    about: 'The user opts out while a template is sent.',
    maxFaults: 1,
    options: { prepare: openWindow, consumes: ['send'], queued: [template], callers: [consent('out', 'optOut')] },
  },
  handoverWhileSending: {
    useCase: 'handover',
    about: 'A contact is handed over to people and back while an automated request is sent.',
    slice: ['dies-after'],
    maxFaults: 1,
    options: {
      prepare: openWindow,
      rules: { operators: { echoes: true } },
      consumes: ['send'],
      queued: [{ ...request, automated: true }],
      callers: [handover('over', 'handOver'), handover('back', 'handBack')],
    },
  },
  checkWhileSending: {
    useCase: 'check',
    about: 'A contact is checked while a template that needs a check is sent.',
    maxFaults: 1,
    options: {
      prepare: optedIn,
      consumes: ['send'],
      queued: [template],
      rules: { contactCheck: 'beforeFirstTemplate' },
      callers: [check],
    },
  },
  checkAbsent: {
    useCase: 'check',
    about: 'A contact that is not on the platform is checked twice concurrently.',
    slice: ['fails-before', 'fails-after', 'dies-after', 'garbage', 'refused'],
    options: {
      callers: [check, { ...check, name: 'again' }],
      chatService: { absentContacts: [USER] },
    },
  },
  stopAndResume: {
    useCase: 'stop',
    about: 'Sending is stopped and resumed concurrently, and the next probe is made due.',
    slice: ['fails-after', 'dies-after'],
    options: {
      async prepare(scene) {
        const openedAt = AN_HOUR_AGO;
        const trip = { reason: 'token', why: '401', calledAt: openedAt, openedAt } as const;
        await repositoriesOf(scene).circuit.open({ ...trip, nextProbeAt: '2026-11-20T12:30:00.000Z' });
      },
      callers: [
        read('stop', 'stopSending', { body: { note: 'Wrong template' } }),
        read('resume', 'resumeSending', { body: {} }),
        read('close', 'closeCircuitBreaker', { body: {} }),
      ],
    },
  },
  tokenReplaced: {
    useCase: 'token',
    about: 'The access token is replaced at the chat service, and later in the secret, while two requests are sent.',
    slice: ['dies-after'],
    maxFaults: 1,
    options: {
      prepare: openWindow,
      consumes: ['send'],
      queued: [request],
      events: [
        {
          label: 'the chat service gets a new token',
          writes: 'the chat service',
          happen: ({ chatService }) => chatService.setToken('token-2'),
        },
        {
          label: 'the secret gets the new token',
          writes: 'secret',
          isPossible: ({ chatService }) => chatService.key().includes('token-2'),
          happen: ({ secret, facts }) => {
            secret.value = 'token-2';
            facts.add('the token was replaced');
          },
        },
      ],
    },
  },
  probesOfTwoContacts: {
    useCase: 'circuit breaker',
    about:
      'The account has no credit, and requests of two contacts compete for the probe. Credit is added at any time.',
    maxFaults: 1,
    options: {
      async prepare(scene) {
        await openWindow(scene);
        await storeEvent(scene, { ...status.event, STATUS: undefined, FROM: SOMEBODY_ELSE, _id_: 'message-9' });
        scene.chatService.userWrites(SOMEBODY_ELSE, Date.parse(AN_HOUR_AGO));
      },
      consumes: ['send'],
      hasCredit: false,
      // The two do not wait equally long, so that they compete for the first call, but not for each probe.
      random: (process) => (process.startsWith('send0') ? 0 : 0.9),
      queued: [
        request,
        { ...request, requestId: 'request-2', messageText: 'request-2: Hello.', platformContactId: SOMEBODY_ELSE },
      ],
      callers: [read('stage', 'getStage')],
      events: [credit],
    },
  },
  rejectedThenConfirmed: {
    useCase: 'confirm',
    about: 'A request was resent after an unknown outcome, and rejected. A status of the first call arrives.',
    slice: ['dies-after'],
    options: {
      prepare: rejectedAfterResend,
      consumes: ['inbound'],
      posts: [status],
    },
  },
  identified: {
    useCase: 'confirm',
    about:
      'A template is accepted without a message ID. Two of its statuses name the message before the function ' +
      'gets the answer.',
    maxFaults: 1,
    options: {
      prepare: openWindow,
      consumes: ['send', 'inbound'],
      queued: [template],
      chatService: { answersIntentsWithoutId: true },
      posts: [status],
      postsFollow: ({ chatService }) => chatService.effects.length > 0,
    },
  },
  templateAfterError201: {
    useCase: 'confirm',
    about: 'The chat service says that the window is closed, so the template replaces the message; a status arrives.',
    maxFaults: 1,
    options: {
      async prepare(scene) {
        await openWindow(scene);
        scene.chatService.userWrites(USER, Date.parse(IN_JANUARY));
      },
      consumes: ['send'],
      queued: [{ ...template, messageText: 'request-1: Your parcel is on its way.' }],
    },
  },
  resendAutomatically: {
    useCase: 'confirm',
    about:
      'A request with onUncertain resend is sent again after an unknown outcome, while a status of the first ' +
      'call arrives.',
    maxFaults: 1,
    slice: ['fails-after'],
    options: {
      prepare: openWindow,
      consumes: ['send'],
      queued: [{ ...request, onUncertain: 'resend' }],
    },
  },
  expired: {
    useCase: 'confirm',
    about: 'A request whose notAfter has passed, and one that the chat service rejects.',
    slice: ['fails-after'],
    maxFaults: 1,
    options: {
      prepare: openWindow,
      consumes: ['send'],
      chatService: { refusedText: 'request-2' },
      queued: [
        { ...request, notAfter: AN_HOUR_AGO },
        { ...request, requestId: 'request-2', messageText: 'request-2: No.' },
      ],
    },
  },
  readWhileSending: {
    useCase: 'read',
    about:
      'An operator reads the contact, the conversation, the send, the audit trail, and a forecast while a request is ' +
      'sent.',
    maxFaults: 1,
    options: {
      prepare: openWindow,
      consumes: ['send'],
      queued: [request],
      callers: [
        read('contact', 'getContact', { id: USER }),
        read('conversation', 'getConversation', { id: USER }),
        read('message', 'getMessage', { id: 'message-1' }),
        read('send', 'getSend', { id: 'request-1' }),
        read('trail', 'listAudit'),
        read('forecast', 'forecastSends', { body: { contacts: [USER, SOMEBODY_ELSE], messageText: 'Hello.' } }),
      ],
    },
  },
  listWhileSending: {
    useCase: 'read',
    about:
      'An operator lists the sends of a contact, counts those of a broadcast, and asks what an import would store, while ' +
      'one of them is sent.',
    slice: ['fails-before'],
    maxFaults: 1,
    options: {
      prepare: openWindow,
      consumes: ['send'],
      queued: [{ ...request, broadcastId: 'broadcast-1' }],
      callers: [
        read('list', 'listSends', { query: { contact: USER } }),
        read('count', 'countSends', { query: { broadcast: 'broadcast-1' } }),
        read('import', 'importEvents', { body: { entries: [HISTORY_ENTRY], dryRun: true } }),
      ],
    },
  },
  listWhileReceiving: {
    useCase: 'read',
    about: 'An operator lists the channels and the gaps while a message arrives.',
    slice: ['fails-before'],
    maxFaults: 1,
    options: {
      posts: [{ event: wireMessage({ CREATION_TIME: AN_HOUR_AGO }) }],
      callers: [read('channels', 'listChannels'), read('gaps', 'listGaps')],
    },
  },
  importBesideDelivery: {
    useCase: 'audit',
    about: 'An operator imports a message twice while the webhook delivers it.',
    slice: ['fails-before', 'dies-after'],
    maxFaults: 1,
    options: {
      posts: [{ event: wireMessage({ _id_: HISTORY_ENTRY.id, CREATION_TIME: HISTORY_ENTRY.creationTime }) }],
      callers: [
        read('import', 'importEvents', { body: { entries: [HISTORY_ENTRY] } }),
        read('again', 'importEvents', { body: { entries: [HISTORY_ENTRY] } }),
      ],
    },
  },
  recordAct: {
    useCase: 'audit',
    about: 'An operator records a change of the access token twice concurrently.',
    slice: ['fails-before', 'fails-after', 'dies-before', 'dies-after'],
    options: {
      callers: [
        read('token', 'recordAudit', { body: { action: 'access-token-change' } }),
        read('again', 'recordAudit', { body: { action: 'access-token-change' } }),
      ],
    },
  },
} as const satisfies Record<string, SceneScenario>;
