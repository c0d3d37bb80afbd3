import {
  createManagementClient,
  type ManagementClient,
  ManagementError,
} from '../../cli/operations/management-client.ts';
import { createSignedFetch } from '../../cli/operations/signed-fetch.ts';
import type { Refused } from '../../sandbox/base/inspector.ts';
import { CREDENTIALS, REGION } from '../base/aws-environment.ts';

/** Longer than an HTTP API waits for a function. */
const API_TIMEOUT_MS = 35_000;

/** Creates a client of the local run's management API. */
export const createLocalManagementClient = (managementUrl: string, timeoutMs = API_TIMEOUT_MS): ManagementClient =>
  createManagementClient(
    managementUrl,
    createSignedFetch({ region: REGION, credentials: async () => CREDENTIALS }, timeoutMs),
  );

/** Returns what `act` returns, or the management API's own sentence if the API refuses the action. */
export const orRefused = async <Result>(act: () => Promise<Result>): Promise<Result | Refused> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ManagementError && error.status >= 400 && error.status < 500) {
      const status = error.status === 400 || error.status === 404 ? error.status : 409;
      return { kind: 'refused', status, message: error.message };
    }
    throw error;
  }
};
