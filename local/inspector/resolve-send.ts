import { z } from 'zod';
import { type ManagementClient, ManagementError } from '../../cli/operations/management-client.ts';
import type { Inspector } from '../../sandbox/inspector.ts';

const resolvedSend = z.object({ state: z.string() });

/** Creates the inspector's resolution of sends: the same call of the management API as that of `parley sends resolve`. */
export const createResolveSend =
  (api: ManagementClient): Inspector['resolve'] =>
  async (requestId, resolution) => {
    try {
      const { state } = resolvedSend.parse(await api('POST', '/v1/resolutions', { requestId, ...resolution }));
      return { kind: 'resolved', state };
    } catch (error) {
      if (error instanceof ManagementError && error.status >= 400 && error.status < 500) {
        return { kind: 'refused', message: error.message };
      }
      throw error;
    }
  };
