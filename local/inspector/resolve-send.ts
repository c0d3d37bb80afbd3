import { z } from 'zod';
import type { ManagementClient } from '../../cli/operations/management-client.ts';
import type { Inspector } from '../../sandbox/base/inspector.ts';
import { orRefused } from './or-refused.ts';

const resolvedSend = z.object({ state: z.string() });

/** Creates the inspector's resolution of sends: the same call of the management API as that of `parley sends resolve`. */
export const createResolveSend =
  (api: ManagementClient): Inspector['resolve'] =>
  (requestId, resolution) =>
    orRefused(async () => {
      const { state } = resolvedSend.parse(await api('POST', '/v1/resolutions', { requestId, ...resolution }));
      return { kind: 'resolved', state };
    });
