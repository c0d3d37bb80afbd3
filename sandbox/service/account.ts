import type { Change, ServiceState } from './state.ts';

export const ACCOUNT_KEY = 'account';

export type Account = {
  /** How many messages the account can pay for; each accepted one spends one. */
  readonly credit: number;
};

export const accountOf = (state: ServiceState): Account => {
  const account = state.account.get(ACCOUNT_KEY);
  if (account === undefined) throw new Error('A state is made with its account.');
  return account;
};

export const changeAccount = (state: ServiceState, settings: Partial<Account>): Change<Account> => {
  const account = { ...accountOf(state), ...settings };
  state.account.set(ACCOUNT_KEY, account);
  return { result: account, events: [] };
};
