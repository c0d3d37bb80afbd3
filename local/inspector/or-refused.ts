import { ManagementError } from '../../cli/operations/management-client.ts';
import type { Refused } from '../../sandbox/base/inspector.ts';

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
