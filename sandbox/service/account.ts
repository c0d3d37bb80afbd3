import type { Application, Profile } from './approval.ts';
import type { Change, ServiceState } from './state.ts';

export const ACCOUNT_KEY = 'account';

export type Account = {
  /** How many messages the account can pay for; each accepted one spends one. */
  readonly credit: number;
  /** False: sandbox mode, in which the business answers users but does not write first. */
  readonly approved: boolean;
  /** Whether the service itself refuses to write first to a user without an opt-in. */
  readonly optInRequired: boolean;
  /** The request for approval that waits for the operator's decision. */
  readonly application?: Application;
  readonly profile?: Profile;
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
