import { callApi, type User, userPath } from './api.ts';
import { showError, store } from './console-state.ts';
import { selectUser } from './navigate.ts';
import { withUser } from './users.ts';

/** Adds a user, or finds the one with this address, and selects it. Returns whether it worked; shows an error. */
export const addUser = async (contact: string, settings: { name?: string } = {}): Promise<boolean> => {
  const result = await callApi<User>('PATCH', userPath(contact), settings);
  if (!result.ok) {
    showError(result.error);
    return false;
  }
  store.set({ users: withUser(store.get().users, result.value) });
  selectUser(result.value.contact);
  return true;
};
