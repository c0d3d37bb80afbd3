import { z } from 'zod';
import { type ManagementClient, ManagementError } from '../../cli/operations/management-client.ts';
import { resourcePath } from '../../cli/operations/resource-path.ts';
import { type ContactResponse, contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { dryRunResponse } from '../../lambdas/manage/api/dry-run.ts';
import type { ContactChanged, ContactStatus, Inspector } from '../../sandbox/base/inspector.ts';
import { readCustomerMessages } from './customer-messages.ts';
import { isSameAddress, readCustomerStatus } from './customer-status.ts';
import { orRefused } from './management-client.ts';

const resolvedSend = z.object({ state: z.string() });

/** Creates the inspector's contacts, handovers, dry runs, and resolutions: the same calls as those of `parley`. */
export const createManagementOperations = (
  api: ManagementClient,
): Pick<Inspector, 'contact' | 'customerMessages' | 'handOver' | 'handBack' | 'dryRun' | 'resolve'> => {
  const change = (path: string, platformContactId: string): Promise<ContactChanged> =>
    orRefused(async () => ({
      kind: 'changed',
      contact: statusOf(contactResponse.parse(await api('POST', path, { platformContactId }))),
    }));
  return {
    async contact(platformContactId, customerId) {
      try {
        const answer = await api('GET', resourcePath('contacts', 'platformContactId', platformContactId));
        const contact = contactResponse.parse(answer);
        const customer = await readCustomerStatus(api, contact, customerId);
        const own = customer?.addresses.find((address) => isSameAddress(address, contact));
        return { ...statusOf(contact), ...(own && { consent: own.consent }), ...(customer && { customer }) };
      } catch (error) {
        if (error instanceof ManagementError && error.code === 'CONTACT_NOT_FOUND') return undefined;
        throw error;
      }
    },
    customerMessages: (customerId) => readCustomerMessages(api, customerId),
    handOver: (platformContactId) => change('/v1/handovers', platformContactId),
    handBack: (platformContactId) => change('/v1/handbacks', platformContactId),
    async dryRun(request) {
      try {
        return await orRefused(async () => {
          const answer = dryRunResponse.parse(await api('POST', '/v1/sends?dryRun=true', request));
          const { decision, code, why, windowClosesAt, circuitBreaker, sending, backlog } = answer;
          return {
            kind: 'decided',
            decision: { decision, code, why, windowClosesAt, circuitBreaker, sending, backlog },
          };
        });
      } catch (error) {
        if (!(error instanceof ManagementError)) throw error;
        return { kind: 'unavailable', message: `The management API cannot decide now: ${error.message}.` };
      }
    },
    resolve: (requestId, resolution) =>
      orRefused(async () => {
        const { state } = resolvedSend.parse(await api('POST', '/v1/resolutions', { requestId, ...resolution }));
        return { kind: 'resolved', state };
      }),
  };
};

const statusOf = ({ consent, window, handover }: ContactResponse): ContactStatus => {
  const { state, at, origin, source } = consent;
  return {
    consent: { state, at, origin, source },
    window,
    ...(handover && { handover: { state: handover.state, since: handover.since, until: handover.until } }),
  };
};
