import { SEND_TRANSITIONS, type SendTransition } from '../../lambdas/domain/send-transitions.ts';
import { withBlock } from './markdown.ts';

/** Returns docs/architecture.md with the generated part replaced: the states of a send as a diagram and a table. */
export const architecturePage = (page: string): string => withBlock(page, 'states', `${diagram()}\n\n${table()}`);

const transitions: readonly (readonly [name: string, transition: SendTransition])[] = Object.entries(SEND_TRANSITIONS);

/** Shown as one state, because most transitions from one of these states start from all of them. */
const PENDING = ['queued', 'scheduled', 'waiting'];

/** Returns the states that a transition starts from, with `pending` in place of all of {@link PENDING} and no item. */
function startsOf({ from }: SendTransition): readonly string[] {
  const states = Object.keys(from);
  const isFromAllPending = PENDING.every((state) => states.includes(state));
  return isFromAllPending
    ? ['pending', ...states.filter((state) => !PENDING.includes(state) && state !== 'none')]
    : states.map((state) => (state === 'none' ? '[*]' : state));
}

/** Draws one arrow per pair of states, labeled with the transitions between them. */
function diagram(): string {
  const arrows = new Map<string, string[]>();
  for (const [name, transition] of transitions) {
    const starts = startsOf(transition);
    // Leaves out arrows from a state to itself, unless the transition has no others.
    const others = starts.filter((state) => state !== transition.to);
    for (const start of others.length > 0 ? others : starts) {
      const arrow = `${start} --> ${transition.to}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), name]);
    }
  }
  return [
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> pending: queued',
    '  state pending {',
    ...PENDING.map((state) => `    ${state}`),
    '  }',
    ...[...arrows].map(([arrow, names]) => `  ${arrow}: ${names.join(', ')}`),
    '```',
  ].join('\n');
}

function table(): string {
  const rows = transitions.map(([name, transition]) => {
    const states = startsOf(transition).map((state) => (state === '[*]' ? 'no item' : `\`${state}\``));
    const { to, by, when } = transition;
    return `| \`${name}\` | ${states.join(', ')} | \`${to}\` | \`${by}\` | ${when} |`;
  });
  const header = ['| transition | from | to | by | when |', '|---|---|---|---|---|'];
  return [
    '`pending` stands for `queued`, `scheduled`, `waiting`, and a request without an item. A `refused` send can be',
    'claimed only if its code is `PROCESSING_FAILED`, when its dead letter is redriven. `confirmEarlier` applies only if the',
    'outcome of an earlier call is unknown, because that call may have been accepted.',
    '',
    ...header,
    ...rows,
  ].join('\n');
}
