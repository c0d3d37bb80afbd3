import { createManagementClient, type ManagementClient } from '../../cli/operations/management-client.ts';
import { createSignedFetch } from '../../cli/operations/signed-fetch.ts';
import { CREDENTIALS, REGION } from '../base/aws-environment.ts';

/** Longer than an HTTP API waits for a function. */
const API_TIMEOUT_MS = 35_000;

/** Creates a client of the local run's management API. */
export const createLocalManagementClient = (managementUrl: string, timeoutMs = API_TIMEOUT_MS): ManagementClient =>
  createManagementClient(
    managementUrl,
    createSignedFetch({ region: REGION, credentials: async () => CREDENTIALS }, timeoutMs),
  );
