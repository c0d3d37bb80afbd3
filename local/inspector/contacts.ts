import { type ManagementClient, ManagementError } from '../../cli/operations/management-client.ts';
import { resourcePath } from '../../cli/operations/resource-path.ts';
import { contactResponse } from '../../lambdas/manage/api/contacts.ts';
import type { ContactChanged, ContactStatus, Inspector } from '../../sandbox/base/inspector.ts';
import { orRefused } from './or-refused.ts';

/** Creates the inspector's view of a contact and its handovers. It makes the same calls as `parley`. */
export const createContactOperations = (
  api: ManagementClient,
): Pick<Inspector, 'contact' | 'handOver' | 'handBack'> => {
  const change = (path: string, platformContactId: string): Promise<ContactChanged> =>
    orRefused(async () => ({ kind: 'changed', contact: statusOf(await api('POST', path, { platformContactId })) }));
  return {
    async contact(platformContactId) {
      try {
        return statusOf(await api('GET', resourcePath('contacts', 'platformContactId', platformContactId)));
      } catch (error) {
        if (error instanceof ManagementError && error.code === 'CONTACT_NOT_FOUND') return undefined;
        throw error;
      }
    },
    handOver: (platformContactId) => change('/v1/handovers', platformContactId),
    handBack: (platformContactId) => change('/v1/handbacks', platformContactId),
  };
};

const statusOf = (response: unknown): ContactStatus => {
  const { consent, handover } = contactResponse.parse(response);
  return {
    consent,
    ...(handover && { handover: { state: handover.state, since: handover.since, until: handover.until } }),
  };
};
