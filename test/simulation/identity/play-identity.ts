import { contactKey } from '../../../lambdas/domain/contact.ts';
import * as z from '../../../lambdas/domain/schema.ts';
import { conversationResponse } from '../../../lambdas/manage/api/conversations.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { NOW, sendRequest, templateRequest } from '../../support/builders.ts';
import { createVirtualClock } from '../world/virtual-clock.ts';
import { createIdentityFacts, type IdentityFacts } from './identity-facts.ts';
import type { Delivered, IdentityHistory, IdentityStep } from './identity-history.ts';
import {
  IDENTITY_INVARIANTS,
  type IdentityInvariant,
  type IdentityInvariantName,
  type IdentityMoment,
} from './identity-invariants.ts';
import type { CreateIdentityMutation } from './identity-mutation.ts';
import { createIdentityStage, type IdentityStage } from './identity-stage.ts';
import type { IdentityWitness } from './identity-witnesses.ts';
import { witnessesOf } from './identity-witnesses.ts';

export interface IdentityViolation {
  readonly invariant: IdentityInvariantName;
  readonly step: IdentityStep;
  readonly what: string;
}

export interface IdentityRun {
  readonly violations: readonly IdentityViolation[];
  readonly witnesses: ReadonlySet<IdentityWitness>;
}

/** Plays a history, and judges each of its steps by every invariant. */
export const playIdentity = async (
  { steps }: IdentityHistory,
  createMutation?: CreateIdentityMutation,
): Promise<IdentityRun> => {
  const clock = createVirtualClock(NOW);
  const stage = createIdentityStage(clock, createMutation);
  const facts = createIdentityFacts();
  const violations: IdentityViolation[] = [];
  const witnesses = new Set<IdentityWitness>();
  for (const [index, step] of steps.entries()) {
    clock.moveTo(Math.max(clock.ms, step.atMs));
    const moment = await perform(stage, facts, step, `request-${index}`);
    for (const witness of witnessesOf(step, moment, facts)) witnesses.add(witness);
    if (moment === undefined) continue;
    for (const [invariant, what] of faultsIn(moment, facts)) violations.push({ invariant, step, what });
    if (moment.kind === 'erased') facts.forget(moment.keys, moment.customers);
  }
  return { violations, witnesses };
};

const perform = async (
  stage: IdentityStage,
  facts: IdentityFacts,
  step: IdentityStep,
  requestId: string,
): Promise<IdentityMoment | undefined> => {
  switch (step.kind) {
    case 'event':
      facts.deliver({ ...step.event, isQuarantined: !(await stage.deliver(wireOf(step.event))) });
      return undefined;
    case 'consent': {
      const { address, consent, origin, saidMs } = step;
      const at = new Date(saidMs).toISOString();
      const route = consent === 'opt-in' ? 'optIn' : 'optOut';
      await stage.call({ route, body: { platformContactId: address, source: 'form', origin, at } });
      facts.consent({ key: contactKey(address), kind: consent, origin, saidMs });
      return undefined;
    }
    case 'send':
    case 'sendToCustomer': {
      const { content } = step;
      const before = stage.effects.length;
      const request = content === 'text' ? sendRequest : templateRequest;
      const customer = step.kind === 'send' ? {} : { customerId: step.customerId };
      const named = step.kind === 'send' ? step.address : undefined;
      await stage.send({ ...request({ requestId }), platformContactId: named, ...customer });
      const effect = stage.effects[before];
      const item = stage.table.items.get(`SEND#${requestId} SEND`);
      const chosen = effect?.body.platformContactId ?? facts.addressesOf(new Set(Object.values(customer)))[0];
      return {
        kind: 'sent',
        address: named ?? String(chosen),
        ...customer,
        content,
        effect,
        code: typeof item?.code === 'string' ? item.code : undefined,
      };
    }
    case 'erase': {
      const { address } = step;
      const customers = facts.usersOf(contactKey(address));
      const keys = new Set([contactKey(address), ...facts.addressesOf(customers)]);
      await stage.call({ route: 'eraseContact', id: address });
      await stage.erase();
      return { kind: 'erased', address, keys, customers, items: remaining(stage) };
    }
    case 'read': {
      const { address } = step;
      const contact = (await stage.call({ route: 'getContact', id: address })).body;
      const messages = (await stage.call({ route: 'getConversation', id: address, query: { limit: '100' } })).body;
      return { kind: 'read', address, contact, messages, versions: await versionsOf(stage, messages) };
    }
  }
};

/** Returns the edited messages of a conversation with their versions. */
const versionsOf = async (stage: IdentityStage, messages: unknown): Promise<readonly unknown[]> => {
  // An unknown contact has no conversation.
  const { messages: shown = [] } = z.safeParse(conversationResponse, messages).data ?? {};
  const edited = shown.filter(({ editedAt }) => editedAt !== undefined);
  return Promise.all(edited.map(async ({ id }) => (await stage.call({ route: 'getMessage', id })).body));
};

const remaining = ({ table }: IdentityStage): readonly Item[] => [...table.items.values()];

const wireOf = ({ kind, id, eventMs, editedMs = eventMs, address, customerId, name, text }: Delivered) => {
  const time = new Date(eventMs).toISOString();
  const common = { CHAT_PLATFORM_ID: 'chat', _id_: id, CREATION_TIME: time, CUSTOMER_ID: customerId };
  switch (kind) {
    case 'message':
      return { ...common, FROM: address, FROM_NAME: name, MESSAGE: text };
    case 'edit':
      return {
        ...common,
        FROM: address,
        FROM_NAME: name,
        MESSAGE: text,
        LAST_MODIFICATION: new Date(editedMs).toISOString(),
      };
    case 'status':
      return { ...common, FROM: address, STATUS: 'delivered' };
    case 'echo':
      return { ...common, FROM: 'me', TO: address, MESSAGE: text };
  }
};

const faultsIn = (
  moment: IdentityMoment,
  facts: IdentityFacts,
): readonly (readonly [IdentityInvariantName, string])[] =>
  Object.entries<IdentityInvariant>(IDENTITY_INVARIANTS).flatMap(([name, invariant]) => {
    const what = judge(invariant, moment, facts);
    return what === undefined ? [] : [[name as IdentityInvariantName, what] as const];
  });

const judge = (invariant: IdentityInvariant, moment: IdentityMoment, facts: IdentityFacts): string | undefined => {
  if (invariant.at === 'sent') return moment.kind === 'sent' ? invariant.faultIn(moment, facts) : undefined;
  if (invariant.at === 'erased') return moment.kind === 'erased' ? invariant.faultIn(moment, facts) : undefined;
  return moment.kind === 'read' ? invariant.faultIn(moment, facts) : undefined;
};
