import { execFileSync } from 'node:child_process';
import { confirm } from '../../cli/base/confirm.ts';
import { explainError } from '../../cli/base/errors.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type AwsAccount, openAccount } from '../aws-account.ts';
import { createSmokeId } from '../play-smoke.ts';
import { type CleanOptions, type MatrixOptions, SmokeError } from '../smoke-options.ts';
import { findLeftovers, listLeftovers, removeLeftovers } from './leftovers.ts';
import { awsParts, localParts, type MatrixPart } from './matrix-parts.ts';
import { COSTS, isPassed, type MatrixReport, renderReport } from './matrix-report.ts';
import type { Answer, Question } from './questions.ts';

export interface MatrixRun {
  readonly stdin: Parameters<typeof confirm>[0]['stdin'];
  readonly print: (text: string) => void;
  /** @default the account of the AWS credentials */
  readonly open?: typeof openAccount;
}

/** Tests each part, and prints a report. @returns whether every step succeeded and nothing is left */
export const runMatrix = async (options: MatrixOptions, run: MatrixRun): Promise<boolean> => {
  const id = createSmokeId();
  const answers = new Map<Question, Answer>();
  const { deployed } = options;
  if (deployed === undefined) {
    const report = await play(localParts({ stage: options.stage, settings: options.settings }), run, {
      id,
      answers,
      place: undefined,
      left: async () => [],
    });
    return isPassed(report);
  }
  const aws = await (run.open ?? openAccount)(deployed);
  const place = { account: aws.account, region: aws.region };
  await ask(
    options,
    run,
    `This creates ${COSTS}. Stacks, tables, and queues are named parley-smoke-${id} or Parley-smoke-${id}, and ` +
      'everything is deleted at the end. If the test is killed, run: ' +
      `npm run smoke -- --clean --account ${aws.account} --region ${aws.region}\n` +
      `Deploy to account ${aws.account} in ${aws.region}, which takes about two hours?`,
    'Nothing was deployed.',
  );
  const record = (question: Question, answer: Answer) => answers.set(question, answer);
  const parts = awsParts({ id, stage: deployed, network: options.network, account: async () => aws, record });
  const left = async () => {
    try {
      return listLeftovers(await findLeftovers(aws)).filter((what) => what.includes(id));
    } catch (error) {
      // The rest of the report took two hours.
      return [`unknown, because it could not be listed (${explainError(error).message})`];
    }
  };
  return isPassed(await play(parts, run, { id, answers, place, left }));
};

interface Played extends Pick<MatrixReport, 'id' | 'answers' | 'place'> {
  readonly left: () => Promise<readonly string[]>;
}

const play = async (
  parts: readonly MatrixPart[],
  { print }: MatrixRun,
  { left, ...rest }: Played,
): Promise<MatrixReport> => {
  const startedAt = new Date();
  const played = [];
  for (const part of parts) {
    print(`\n${part.name}: ${part.title}`);
    played.push({ ...part, steps: await part.play(print) });
  }
  const { version } = packageJson;
  const report = { ...rest, version, commit: readCommit(), startedAt, endedAt: new Date(), parts: played };
  const complete: MatrixReport = { ...report, left: await left() };
  print(`\n${renderReport(complete)}`);
  return complete;
};

const readCommit = (): string => {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
};

const ask = async (
  { yes }: { readonly yes: boolean },
  { stdin, print }: MatrixRun,
  question: string,
  otherwise: string,
): Promise<void> => {
  if (yes) return;
  await confirm({ stdin, say: print, stop: new AbortController().signal }, question, otherwise);
};

/** Deletes what killed tests left in the account, after asking. @returns whether nothing is left */
export const cleanUp = async (options: CleanOptions, run: MatrixRun): Promise<boolean> => {
  const aws: AwsAccount = await (run.open ?? openAccount)(options);
  const found = await findLeftovers(aws);
  const list = listLeftovers(found);
  if (list.length === 0) {
    run.print(`There are no stacks, tables, or queues of a --matrix test in account ${aws.account} in ${aws.region}.`);
    return true;
  }
  const question = `${list.join('\n')}\nDelete all of it, with its data, from account ${aws.account} in ${aws.region}?`;
  await ask(options, run, question, 'Nothing was deleted.');
  const left = await removeLeftovers(aws, found, run.print);
  if (left.length > 0) throw new SmokeError(`Left: ${left.join('; ')}. Delete it yourself.`);
  return true;
};
