/**
 * Records that a user opted in or out, and prints the effective consent.
 *
 *   node examples/management/record-consent.ts opt-in +5491150000001 "registration form"
 *
 * The last argument describes your evidence. You can record consents late, twice, and in any order: the user's
 * later opt-out wins.
 */
import { callManagementApi } from './call-management-api.ts';

const [kind, platformContactId, source] = process.argv.slice(2);
if ((kind !== 'opt-in' && kind !== 'opt-out') || !platformContactId || !source) {
  throw new Error('Usage: node record-consent.ts opt-in|opt-out CONTACT SOURCE');
}
const contact = await callManagementApi('POST', `/v1/${kind}s`, {
  platformContactId,
  // `user` if the user gave or withdrew the consent directly; `import` if you load it from a list.
  origin: 'user',
  source,
  // When it happened. Without it, the time of the call.
  at: new Date().toISOString(),
});
console.log(JSON.stringify(contact, null, 2));
