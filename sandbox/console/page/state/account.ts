import { callApi } from './api.ts';
import { showError, showNotice } from './console-state.ts';

/** Enough for a day of testing. */
export const AMPLE_CREDIT = 10_000;

interface AccountSettings {
  readonly credit?: number;
  readonly approved?: boolean;
  readonly optInRequired?: boolean;
}

/** Returns whether the service accepted the change; shows the error otherwise. */
export const changeAccount = async (settings: AccountSettings): Promise<boolean> => {
  const result = await callApi('PATCH', '/sandbox/account', settings);
  if (!result.ok) showError(result.error);
  return result.ok;
};

export const setCredit = async (credit: number): Promise<void> => {
  if (await changeAccount({ credit })) showNotice(`The account's credit is now ${credit.toLocaleString('en-US')}.`);
};
