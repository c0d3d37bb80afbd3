import { subscribe } from 'node:diagnostics_channel';
import { handler } from '../../../examples/consumers/bot/handler.ts';
import { sqsRecord } from '../../support/sqs-record.ts';

/*
 * Runs the bot's function on one event, and kills the process at one of these places: before and after the call of the
 * management API, which uses `fetch`, and before and after the call of SQS, which uses `node:http`.
 */
const [event = '', place = ''] = process.argv.slice(2);
if (place !== '') subscribe(place, () => process.kill(process.pid, 'SIGKILL'));

const { batchItemFailures } = await handler({ Records: [sqsRecord(event)] });
process.exitCode = batchItemFailures.length;
