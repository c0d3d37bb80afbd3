import { sendRequest, templateRequest, USER } from '../../support/builders.ts';
import { OPTED_OUT_ELSEWHERE, OTHER_ADDRESS } from './customer-invariants.ts';
import { AFTER, BEFORE } from './erasing-invariants.ts';
import { AN_HOUR_AGO, CUSTOMER, openWindow, repositoriesOf, requestErasure, saying, storeEvent } from './prepared.ts';
import { type Scene, userRef } from './scene.ts';
import type { ApiCaller } from './scene-options.ts';
import type { SceneScenario } from './scene-scenarios.ts';

const NAMED = { CUSTOMER_ID: CUSTOMER };
const openNamedWindow = (scene: Scene): Promise<void> => openWindow(scene, NAMED);
const fromOther = (text: string, id: string) => saying(text, { ...NAMED, _id_: id, FROM: OTHER_ADDRESS });

/** The user wrote from both addresses, and opted in. */
const linked = async (scene: Scene, text = BEFORE): Promise<void> => {
  await openNamedWindow(scene);
  await storeEvent(scene, fromOther(text, 'message-9'));
};

const template = templateRequest({ params: { name: 'request-1' } });

const optOut = (platformContactId: string): ApiCaller => ({
  name: 'out',
  request: { route: 'optOut', body: { platformContactId, source: 'form', at: AN_HOUR_AGO } },
});

const erase = (id: string): ApiCaller => ({ name: 'erasure', request: { route: 'eraseContact', id } });

const separation = (route: 'separateCustomer' | 'reverseSeparation'): ApiCaller => ({
  name: 'separation',
  request: { route, body: { platformContactId: USER, customerId: CUSTOMER } },
});

/** The user opted out at the other address. */
const optedOutElsewhere = async (scene: Scene): Promise<void> => {
  await linked(scene);
  const { platform, channel } = userRef;
  const consent = { kind: 'opt-out', origin: 'user', at: AN_HOUR_AGO, source: 'form' } as const;
  await repositoriesOf(scene).contacts.recordConsent({ platform, channel, customerId: CUSTOMER }, consent);
  scene.facts.add(OPTED_OUT_ELSEWHERE);
};

export const CUSTOMER_SCENARIOS = {
  optOutAtOtherAddress: {
    useCase: 'customer',
    about: 'The user opts out at another address while a template is sent.',
    maxFaults: 1,
    options: {
      prepare: (scene) => linked(scene),
      consumes: ['send'],
      queued: [template],
      callers: [optOut(OTHER_ADDRESS)],
    },
  },
  optOutWhileLinking: {
    useCase: 'customer',
    about: 'The user opts out while the first message arrives from another address.',
    slice: ['dies-after'],
    maxFaults: 1,
    options: {
      prepare: openNamedWindow,
      consumes: ['inbound'],
      posts: [{ event: fromOther(AFTER, 'message-9') }],
      callers: [optOut(USER)],
    },
  },
  linkBothWhileOptingOut: {
    useCase: 'customer',
    about: 'The user opts out while the first messages arrive from both addresses.',
    maxFaults: 0,
    isSlow: true,
    options: {
      consumes: ['inbound'],
      posts: [{ event: saying(AFTER, { ...NAMED, _id_: 'message-2' }) }, { event: fromOther(AFTER, 'message-9') }],
      callers: [optOut(USER)],
    },
  },
  eraseBothAddresses: {
    useCase: 'customer',
    about: 'A user with two addresses is erased through one of them.',
    maxFaults: 0,
    isSlow: true,
    options: { prepare: (scene) => linked(scene), consumes: ['erasures'], callers: [erase(USER)] },
  },
  optOutWhileErasing: {
    useCase: 'customer',
    about: 'A template is sent to an address, and the user opts out at another one, while the first one is erased.',
    maxFaults: 0,
    isSlow: true,
    options: {
      async prepare(scene) {
        await linked(scene, 'said elsewhere');
        await requestErasure(scene);
      },
      consumes: ['send', 'erasures'],
      queued: [template],
      callers: [optOut(OTHER_ADDRESS)],
    },
  },
  separateWhileSending: {
    useCase: 'customer',
    about: 'An address is separated from a customer that opted out, while a template is sent to it.',
    maxFaults: 1,
    options: {
      prepare: optedOutElsewhere,
      consumes: ['send'],
      queued: [template],
      callers: [separation('separateCustomer')],
    },
  },
  rejoinWhileSending: {
    useCase: 'customer',
    about: 'The separation of an address from a customer that opted out is reversed, while a template is sent to it.',
    maxFaults: 1,
    options: {
      async prepare(scene) {
        await optedOutElsewhere(scene);
        const named = { contact: userRef, customerId: CUSTOMER };
        await repositoriesOf(scene).contacts.recordSeparation(named, 'separated', AN_HOUR_AGO);
      },
      consumes: ['send'],
      queued: [template],
      callers: [separation('reverseSeparation')],
    },
  },
  numberTakenOverWhileSending: {
    useCase: 'customer',
    about: 'Another customer writes from the only address of a customer, while a message is sent to the customer.',
    maxFaults: 1,
    options: {
      prepare: openNamedWindow,
      consumes: ['send', 'inbound'],
      queued: [sendRequest({ platformContactId: undefined, customerId: CUSTOMER })],
      posts: [{ event: saying(AFTER, { _id_: 'message-9', CUSTOMER_ID: 'customer-9' }) }],
    },
  },
  eraseCustomer: {
    useCase: 'customer',
    about: "A customer is erased while the customer's contacts and conversation are read.",
    maxFaults: 0,
    isSlow: true,
    options: {
      prepare: openNamedWindow,
      consumes: ['erasures'],
      callers: [
        { name: 'erasure', request: { route: 'eraseCustomer', id: CUSTOMER } },
        { name: 'contacts', request: { route: 'listContacts', query: { customerId: CUSTOMER } } },
        { name: 'conversation', request: { route: 'listConversation', query: { customerId: CUSTOMER } } },
      ],
    },
  },
} as const satisfies Record<string, SceneScenario>;
