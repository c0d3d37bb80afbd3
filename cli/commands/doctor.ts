import { Command } from '@commander-js/extra-typings';
import { type CreateCommand, count, examples } from '../base/command.ts';
import { EXIT } from '../base/errors.ts';
import { runChecks } from './doctor-checks.ts';
import type { Finding } from './finding.ts';

export const createDoctorCommand: CreateCommand = ({ target, api, report, commandFor }) =>
  new Command('doctor')
    .description(
      'Check settings, permissions, token, webhook, and queues.\n\n' +
        'The command suggests a fix for each problem and changes nothing. To check the token, it asks the chat service ' +
        "to check the business's own number. To check the webhook, it sends an unsigned request, which must be " +
        'rejected, and a test request with each of the webhook secrets, which must be accepted and is not stored. ' +
        'If a check fails, the exit code is 6.',
    )
    .addHelpText('after', examples('parley doctor --stage prod', 'parley doctor --local --json'))
    .action(async () => {
      const found = await target();
      const findings = await runChecks(found, await api(), commandFor);
      const failing = countGrade(findings, 'failing');
      report({
        lines: [
          ...findings.flatMap(describe),
          `${summarize(failing, countGrade(findings, 'warning'))} (${found.name}).`,
        ],
        json: { target: found.name, findings },
        exitCode: failing > 0 ? EXIT.partial : EXIT.done,
      });
    });

const countGrade = (findings: readonly Finding[], grade: Finding['grade']): number =>
  findings.filter((finding) => finding.grade === grade).length;

const describe = ({ grade, message, remedy }: Finding): readonly string[] => [
  `${grade.padEnd(7)}  ${message}`,
  ...(remedy === undefined ? [] : [`         ${remedy}`]),
];

const summarize = (failing: number, warnings: number): string =>
  failing + warnings === 0 ? 'All checks passed' : `${failing} failing, ${count(warnings, 'warning')}`;
