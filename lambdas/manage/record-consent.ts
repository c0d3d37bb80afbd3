import type { Consent } from '../domain/contact-record.ts';
import { readInstant } from '../domain/instant.ts';
import { type Answer, problem } from './answer.ts';
import { contactOf } from './contact-of.ts';
import { answerContact, type ContactPorts } from './get-contact.ts';
import { type ManagementCall, readBody } from './input.ts';
import { consentRequest } from './requests.ts';

/** Records an opt-in or an opt-out; the latest of a kind counts, so it may be repeated and come late. */
export const createRecordConsent =
  (kind: Consent['kind'], ports: ContactPorts) =>
  async ({ bodyText }: ManagementCall): Promise<Answer> => {
    const body = readBody(consentRequest, bodyText);
    if (body.kind === 'faulty') return body.answer;
    const { source } = body.value;
    const now = ports.clock.now();
    const at = readInstant(body.value.at) ?? now;
    if (at > now) return problem(400, 'INVALID_REQUEST', `Not understood: at is ${at}, which is yet to come.`);
    await ports.desk.recordConsent(contactOf(ports, body.value), { kind, at, source });
    return answerContact(ports, body.value);
  };
