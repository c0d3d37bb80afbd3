import type { Change, ServiceState } from './state.ts';

export type AccountSettings = {
  /** How many messages the account can pay for; each accepted one spends one. */
  credit: number;
};

export const changeAccount = (state: ServiceState, settings: Partial<AccountSettings>): Change<AccountSettings> => {
  state.credit = settings.credit ?? state.credit;
  return { result: { credit: state.credit }, events: [] };
};
