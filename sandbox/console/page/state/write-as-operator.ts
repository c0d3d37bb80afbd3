import { type ApiResult, callApi, userPath } from './api.ts';
import { store } from './console-state.ts';

/** Writes to a user as an operator in the chat service's console, so that Parley recognizes it. Returns the ID. */
export const writeAsOperator = async (contact: string, text: string): Promise<ApiResult<string>> => {
  const { name, value } = store.get().features?.operatorField ?? {};
  const fields = name === undefined ? {} : { [name]: value };
  const path = `${userPath(contact)}/operator-messages`;
  const result = await callApi<{ _id_: string }>('POST', path, { text, fields });
  return result.ok ? { ok: true, value: result.value._id_ } : result;
};
