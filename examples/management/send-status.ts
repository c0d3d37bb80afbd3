/**
 * Prints the status of a send request: its state, the decision, and the outcome.
 *
 *   node examples/management/send-status.ts shipment-1042
 *
 * A request that was just queued is not found until Parley has processed it. To be notified instead of polling, receive
 * the events `SendAccepted`, `SendRefused`, and so on; see examples/consumers.
 */
import { callManagementApi } from './call-management-api.ts';

const [requestId] = process.argv.slice(2);
if (!requestId) throw new Error('Usage: node send-status.ts REQUEST_ID');
console.log(JSON.stringify(await callManagementApi('GET', `/v1/sends/${encodeURIComponent(requestId)}`), null, 2));
