import { buffer } from 'node:stream/consumers';
import { Command } from '@commander-js/extra-typings';
import { countAllMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import { decodeSigningSecret, MIN_SIGNING_BYTES, SIGNING_PREFIX } from '../../lambdas/domain/signing-secret.ts';
import { type CommandContext, type CommandFor, type CreateCommand, count, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import { decodeText } from '../base/text-file.ts';
import { recordAct } from '../operations/record-act.ts';
import { fingerprintOf, readSecrets, replaceSecrets } from '../operations/webhook-secrets.ts';

/** Creates `webhook-secret list`, `add`, and `remove`. */
export const createWebhookSecretCommand: CreateCommand = (context) =>
  new Command('webhook-secret')
    .description('List, add, and remove the secrets that verify webhook requests.')
    .addCommand(createListCommand(context))
    .addCommand(createAddCommand(context))
    .addCommand(createRemoveCommand(context));

const TAKES_EFFECT =
  'The webhook reads its secrets again every five minutes, and whenever a request matches none that it knows.';

const createListCommand = ({ target, report }: CommandContext) =>
  new Command('list')
    .description(
      'List the fingerprints of the secrets, and when each was stored.\n\n' +
        'A fingerprint is the start of the SHA-256 hash of a secret: printf %s "$SECRET" | sha256sum | cut -c1-12',
    )
    .addHelpText('after', examples('parley webhook-secret list --stage prod'))
    .action(async () => {
      const { client, secretId } = secretOf(await target());
      const { secrets } = await readSecrets(client, secretId);
      const lines = secrets.map(
        ({ fingerprint, since, isOlder }) => `  ${fingerprint}  stored ${isOlder ? 'by' : 'at'} ${since}`,
      );
      report({
        lines: [`${count(secrets.length, 'secret')}, each of which is accepted:`, ...lines],
        json: { secrets },
      });
    });

const createAddCommand = ({ target, api, report, commandFor, stdin }: CommandContext) =>
  new Command('add')
    // Its own error message does not repeat a secret that was given as an argument.
    .allowExcessArguments()
    .description(
      'Add a secret, and keep the others.\n\n' +
        'The command reads the secret from standard input, because arguments end up in the shell history and the ' +
        `process list. ${TAKES_EFFECT} Then configure the sender to use the new secret, and remove the old one.`,
    )
    .addHelpText('after', examples('parley webhook-secret add --stage prod < secret.txt'))
    .action(async (_options, { args }) => {
      if (stdin.isTTY || args.length > 0) {
        throw new CliError(EXIT.usage, 'Provide the secret on standard input, not as an argument.');
      }
      const secret = decodeText(await buffer(stdin)).text.trim();
      const found = await target();
      const { client, secretId } = secretOf(found);
      const before = await readSecrets(client, secretId);
      refuseInvalid(secret, found.addresses.webhookSecretKind);
      const fingerprint = fingerprintOf(secret);
      if (before.lines.includes(secret)) {
        report({ lines: [`Secret ${fingerprint} is already stored.`], json: { fingerprint, secrets: before.secrets } });
        return;
      }
      await recordAct(await api(), { action: 'webhook-secret-change' });
      const isAlone = await replaceSecrets(client, secretId, before, [...before.lines, secret]);
      const sentence = `Secret ${fingerprint} added for ${found.name}. Requests that are signed with it are accepted within 10 seconds.`;
      report({ lines: [sentence, ...warning(isAlone, commandFor)], json: { fingerprint } });
    });

const createRemoveCommand = ({ target, api, report, commandFor }: CommandContext) =>
  new Command('remove')
    .description(
      'Remove a secret; at least one must remain.\n\n' +
        `${TAKES_EFFECT} Until then, requests with the removed secret are still accepted.`,
    )
    .argument('<fingerprint>', 'Fingerprint of the secret, as shown by webhook-secret list')
    .option('--yes', 'Confirm that the sender no longer uses the secret')
    .option('--force', 'With buffered ingress, remove it although requests wait that it may have to verify')
    .addHelpText('after', examples('parley webhook-secret remove 3f786850e387 --yes --stage prod'))
    .action(async (fingerprint, { yes, force }) => {
      const found = await target();
      const { client, secretId } = secretOf(found);
      const before = await readSecrets(client, secretId);
      const lines = before.lines.filter((line) => fingerprintOf(line) !== fingerprint);
      const list = commandFor('parley webhook-secret list');
      if (lines.length === before.lines.length) {
        throw new CliError(EXIT.notFound, `No secret has the fingerprint ${fingerprint}. See ${list}.`);
      }
      if (lines.length === 0) {
        const add = commandFor('parley webhook-secret add');
        throw new CliError(
          EXIT.refused,
          `Secret ${fingerprint} is the only one, so without it every webhook request would be refused. First run ${add}.`,
        );
      }
      if (!yes) {
        throw new CliError(
          EXIT.usage,
          'Requests that are signed with a removed secret are refused. Add --yes to confirm.',
        );
      }
      if (!force) await refuseWhileWaiting(found, commandFor);
      await recordAct(await api(), { action: 'webhook-secret-change' });
      const isAlone = await replaceSecrets(client, secretId, before, lines);
      const sentence = `Secret ${fingerprint} removed for ${found.name}. It is accepted for up to five more minutes.`;
      report({ lines: [sentence, ...warning(isAlone, commandFor)], json: { fingerprint } });
    });

/** With buffered ingress, requests are verified after they were acknowledged, so nobody repeats one that is dropped. */
const refuseWhileWaiting = async ({ sqs, addresses }: Target, commandFor: CommandFor): Promise<void> => {
  if (addresses.webhookIngress !== 'buffered') return;
  const [waiting, dead] = await Promise.all([
    countAllMessages(sqs, addresses.inboundQueueUrl),
    countAllMessages(sqs, addresses.inboundDeadLetterQueueUrl),
  ]);
  if (waiting + dead === 0) return;
  throw new CliError(
    EXIT.refused,
    `${count(waiting, 'request')} in the inbound queue and ${count(dead, 'dead letter')} of it may still have to be ` +
      'verified with this secret, and would be dropped without it. Wait until the queue is empty, and redrive or delete ' +
      `its dead letters: ${commandFor('parley dead-letters list inbound')}. If none of them needs the secret, add --force.`,
  );
};

const secretOf = ({ secretsManager: client, addresses, name }: Target) => {
  const secretId = addresses.webhookSecretId;
  if (secretId !== undefined) return { client, secretId };
  throw new CliError(
    EXIT.refused,
    `${name} has no webhook secret, because its setting webhook.auth is neither standard-webhooks nor shared-token.`,
  );
};

/** The function refuses all secrets if one of them is invalid, so a mistake must not be stored. */
const refuseInvalid = (secret: string, kind: string | undefined): void => {
  if (!/^[\x21-\x7e]{16,4096}$/.test(secret)) {
    throw new CliError(
      EXIT.usage,
      'No valid secret on standard input. Provide one line of 16 to 4096 characters without spaces.',
    );
  }
  if (kind !== 'standard-webhooks' || (decodeSigningSecret(secret)?.length ?? 0) >= MIN_SIGNING_BYTES) return;
  throw new CliError(
    EXIT.usage,
    `No valid signing secret on standard input. Provide ${SIGNING_PREFIX} and at least ${MIN_SIGNING_BYTES} bytes in base64.`,
  );
};

const warning = (isAlone: boolean, commandFor: CommandFor): readonly string[] =>
  isAlone
    ? []
    : [
        `Someone else changed the secrets at the same time. Check them with ${commandFor('parley webhook-secret list')}.`,
      ];
