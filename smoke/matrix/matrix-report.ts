import { MEASURE_STEPS } from '../measure-steps.ts';
import type { PlayedStep } from '../play-smoke.ts';
import type { MatrixPart } from './matrix-parts.ts';
import { type Answer, PROBE_QUESTIONS, type Question, ROLLOUT_QUESTIONS } from './questions.ts';

/** A part that was tested. */
export interface PlayedPart extends Pick<MatrixPart, 'name' | 'title' | 'notTested'> {
  readonly steps: readonly PlayedStep[];
}

export interface MatrixReport {
  readonly id: string;
  readonly version: string;
  readonly commit: string;
  /** The account and its region, or undefined for local runs. */
  readonly place: { readonly account: string; readonly region: string } | undefined;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly parts: readonly PlayedPart[];
  readonly answers: ReadonlyMap<Question, Answer>;
  /** What remains in the account. */
  readonly left: readonly string[];
}

/** What a matrix creates in an account, and what it costs at the prices in docs/cost.md. */
export const COSTS =
  'three stages, a stage whose deployment fails, and a table with a key, one after another, which usually cost less ' +
  'than USD 1, mostly for alarms, metrics, secrets, and keys';

const MAX_TEXT = 300;

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
};

const minutes = (seconds: number): string => `${(seconds / 60).toFixed(1)} min`;

const row = (...cells: readonly string[]): string => `| ${cells.map(oneLine).join(' | ')} |`;

const table = (headings: readonly string[], rows: readonly string[]): readonly string[] => [
  row(...headings),
  `|${'---|'.repeat(headings.length)}`,
  ...rows,
];

const failures = (parts: readonly PlayedPart[]): readonly string[] =>
  parts.flatMap(({ name, steps }) =>
    steps.filter(({ succeeded }) => !succeeded).map(({ title, text }) => `- ${name}: ${title}: ${oneLine(text)}`),
  );

const notTested = ({ parts, place }: MatrixReport): readonly string[] => [
  ...(place ? [] : ['- a failed first deployment: there is no CloudFormation locally']),
  ...parts.flatMap(({ name, notTested: what }) => (what === undefined ? [] : [`- ${name}: ${what}`])),
];

const partRow = ({ name, title, steps }: PlayedPart): string => {
  const ok = steps.filter(({ succeeded }) => succeeded).length;
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  const measured = MEASURE_STEPS.map(({ title }) => {
    const step = steps.find((one) => one.title === title);
    return step?.succeeded ? step.text : '';
  });
  return row(
    name,
    title,
    ok === steps.length ? `${ok} ok` : `**${ok} of ${steps.length} ok**`,
    minutes(seconds),
    ...measured,
  );
};

const questionRow = (question: Question, { answers, place }: MatrixReport): string => {
  const { answer, seen } = answers.get(question) ?? {
    answer: 'not asked',
    seen: place ? 'its part failed' : question.notLocally,
  };
  const toDo = answer === 'yes' || answer === 'no' ? question.toDo[answer] : 'ask again';
  return row(question.question, `${answer}: ${seen}`, question.how, question.parley, place ? toDo : '');
};

/** What remains, and how to remove it. */
const leftBehind = ({ left, place }: MatrixReport): string => {
  if (left.length === 0) return 'Left behind: nothing.';
  const command = `npm run smoke -- --clean --account ${place?.account} --region ${place?.region}`;
  return `Left behind: ${left.join(', ')}. Remove it with \`${command}\`.`;
};

/** Whether every step succeeded and nothing is left. */
export const isPassed = ({ parts, left }: Pick<MatrixReport, 'parts' | 'left'>): boolean =>
  failures(parts).length === 0 && left.length === 0;

/** A report in Markdown, to paste into a ticket. It contains no account ID. */
export const renderReport = (report: MatrixReport): string => {
  const { id, version, commit, place, startedAt, endedAt, parts } = report;
  const where = place ? `${place.region}, account ********${place.account.slice(-4)}` : 'local runs';
  const took = minutes((endedAt.getTime() - startedAt.getTime()) / 1000);
  const failed = failures(parts);
  const open = notTested(report);
  const lines = [
    `## Smoke test ${id}: ${isPassed(report) ? 'passed' : 'failed'}`,
    '',
    `Parley ${version}, commit ${commit}, ${where}, ${startedAt.toISOString().slice(0, 16)}Z, ${took}.`,
    ...(place ? [`It created ${COSTS}.`] : []),
    leftBehind(report),
    '',
    ...table(['part', 'what', 'steps', 'time', 'webhook → bus', 'queue → call'], parts.map(partRow)),
    '',
    ...(failed.length > 0 ? ['**Failed**', '', ...failed, ''] : []),
    ...(open.length > 0 ? ['**Not tested**', '', ...open, ''] : []),
    ...table(
      ['question', 'answer', 'asked with', 'Parley today', 'to do'],
      [...PROBE_QUESTIONS, ...ROLLOUT_QUESTIONS].map((question) => questionRow(question, report)),
    ),
    '',
    '<details><summary>All steps</summary>',
    '',
    ...table(
      ['part', 'step', 'result', 'time', 'seen'],
      parts.flatMap(({ name, steps }) =>
        steps.map(({ title, succeeded, seconds, text }) =>
          row(name, title, succeeded ? 'ok' : 'FAILED', `${seconds.toFixed(1)} s`, text),
        ),
      ),
    ),
    '',
    '</details>',
  ];
  const text = lines.join('\n');
  // Also in names and URLs that AWS returned.
  return place ? text.replaceAll(place.account, `********${place.account.slice(-4)}`) : text;
};
