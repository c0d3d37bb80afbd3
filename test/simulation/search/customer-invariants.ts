import { contactRef } from '../../../lambdas/domain/contact.ts';
import { contactName } from '../../../lambdas/table/keys.ts';
import { ACCOUNT, USER } from '../../support/builders.ts';
import { parseObject } from '../world/parse-object.ts';
import { erasures } from './erasing-invariants.ts';
import { CUSTOMER } from './prepared.ts';
import { type Scene, userRef } from './scene.ts';
import type { SceneInvariant } from './scene-invariants.ts';
import { answeredCalls, containsText, recordOf } from './scene-view.ts';

/** Another address of the user. The chat service names the user by the same ID at both. */
export const OTHER_ADDRESS = 'CO.1000123';
const ADDRESSES = [USER, OTHER_ADDRESS].map((address) => contactName(contactRef(ACCOUNT.platform, address)));

/** The fact that the user has opted out at the other address. */
export const OPTED_OUT_ELSEWHERE = 'opted out elsewhere';

export const CUSTOMER_INVARIANTS = {
  customerOptOutObeyed: {
    sentence:
      'A send that is claimed after an opt-out at any address of its customer was recorded is not sent, unless its ' +
      'own address is separated from the customer.',
    atAnswer(scene, { request, status }) {
      if (status !== 200) return undefined;
      if (request.route === 'optOut' && isOfOther(request.body)) scene.facts.add(OPTED_OUT_ELSEWHERE);
      if (request.route === 'reverseSeparation') scene.facts.add('joined again');
      return undefined;
    },
    atWrite(scene, { before, after }) {
      if (typeof after?.claimId !== 'string' || after.claimId === before?.claimId) return undefined;
      if (scene.facts.has(OPTED_OUT_ELSEWHERE) && isJoined(scene)) scene.facts.add(`${after.claimId} is too late`);
      return undefined;
    },
    atSend(scene, { claim, requestId }) {
      const isTooLate = scene.facts.has(`${claim?.claimId} is too late`) && isJoined(scene);
      // An erasure also removes the link between an address and its customer.
      return isTooLate && ADDRESSES.every((name) => isLinked(scene, name))
        ? `${requestId} was sent after the opt-out.`
        : undefined;
    },
  },

  customerIsAddressed: {
    sentence: 'A send to a customer that is claimed after another customer wrote from its address is not sent.',
    atWrite(scene, { before, after }) {
      if (typeof after?.claimId !== 'string' || after.claimId === before?.claimId) return undefined;
      const { customerId } = recordOf(parseObject(String(after.body)));
      const user = scene.item(String(after.contact), 'CONTACT')?.customerId;
      if (customerId !== undefined && user !== customerId) scene.facts.add(`${after.claimId} is to another customer`);
      return undefined;
    },
    atSend(scene, { claim, requestId }) {
      return scene.facts.has(`${claim?.claimId} is to another customer`)
        ? `${requestId} was sent to another customer.`
        : undefined;
    },
  },

  customerIsOptedOut: {
    sentence: 'Once an opt-out is recorded and both addresses are known to belong to one customer, it holds at both.',
    atEnd(scene) {
      const isOptedOut = answeredCalls(scene).some(
        ({ request, status }) => request.route === 'optOut' && status === 200,
      );
      const isKnown = ADDRESSES.every((name) => isLinked(scene, name));
      if (!isOptedOut || erasures(scene).length > 0 || !isKnown) return undefined;
      const { userOptOutAt, contacts } = customerOf(scene);
      const isComplete = contacts instanceof Set && ADDRESSES.every((name) => contacts.has(name));
      return userOptOutAt !== undefined && isComplete ? undefined : 'The customer has not opted out at both addresses.';
    },
  },

  addressesListed: {
    sentence:
      "A customer's item lists every address whose stored user is this customer, so that an erasure finds them.",
    atEnd(scene) {
      const { contacts } = customerOf(scene);
      const missing = ADDRESSES.find(
        (name) => isLinked(scene, name) && !(contacts instanceof Set && contacts.has(name)),
      );
      return missing && `${missing} is not among the customer's addresses.`;
    },
  },

  customerForgotten: {
    sentence: 'Once all addresses of a customer are erased, no item has its ID.',
    atEnd(scene) {
      const isDone = erasures(scene).some(({ state }) => state === 'done');
      if (!isDone || ADDRESSES.some((name) => isLinked(scene, name))) return undefined;
      const left = [...scene.table.items].find(([, item]) => containsText(item, CUSTOMER));
      return left && `${left[0]} names the customer.`;
    },
  },
} as const satisfies Record<string, SceneInvariant>;

const isOfOther = (body: unknown): boolean => recordOf(body).platformContactId === OTHER_ADDRESS;

/** Whether the user's address is not separated from the customer. */
const isJoined = (scene: Scene): boolean => {
  const ids = scene.item(contactName(userRef), 'CONTACT')?.separatedCustomerIds;
  return scene.facts.has('joined again') || !(ids instanceof Set && ids.has(CUSTOMER));
};

/** Whether an address is stored as the customer's. */
const isLinked = (scene: Scene, name: string): boolean => scene.item(name, 'CONTACT')?.customerId === CUSTOMER;

const customerOf = (scene: Scene) =>
  [...scene.table.items.values()].find(({ pk }) => String(pk).endsWith(`#${CUSTOMER}`)) ?? {};
