import { type Fault, faultsOf } from './faults.ts';
import * as z from './schema.ts';
import { MAX_REQUEST_BYTES, sendRequest, withoutEmptyFields } from './send-request.ts';

const ROOT = 'the request';

/** Returns what is wrong with a body that `parseSendRequest` finds malformed, with the values, for the caller. */
export const faultsOfSendRequest = (body: string): readonly Fault[] => {
  if (Buffer.byteLength(body) > MAX_REQUEST_BYTES) {
    return [{ field: ROOT, fault: `has more than ${MAX_REQUEST_BYTES} bytes; shorten it` }];
  }
  const given = withoutEmptyFields(z.parseJson(body));
  const parsed = z.safeParse(sendRequest, given);
  return parsed.success ? [] : faultsOf(parsed.error, ROOT, given);
};
