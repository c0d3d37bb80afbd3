import { withSetting } from '../settings/valid-settings.ts';
import type { Share } from '../shared-resources.ts';
import { synthesizedStack } from '../synthesized-stack.ts';
import { EXISTING_CASES, FULL_STAGE, SETTING_CASES } from './setting-cases.ts';
import { type Effect, UpdatedStack } from './stack-update.ts';

/** The effects of one update. */
export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly effects: readonly Effect[];
}

/** What happens to a stage whose setting, or property of the stack, has one value after another. */
export interface Walk {
  /** The setting or the property. */
  readonly of: string;
  readonly transitions: readonly Transition[];
}

interface State {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly share?: Share | undefined;
}

const synthesized = new Map<string, unknown>();

/** Returns the template of a production stage. Most walks begin with the same one. */
export function templateOf({ settings, share }: Omit<State, 'name'>): unknown {
  const synthesize = () => synthesizedStack('prod', settings, share && { share }).template.toJSON();
  if (share) return synthesize();
  const key = JSON.stringify(settings);
  const template = synthesized.get(key) ?? synthesize();
  synthesized.set(key, template);
  return template;
}

/** Returns the updates of a stage from every state to every other one, each twice: off, on, off, on. */
function walk(of: string, states: readonly State[]): Walk {
  const templates = states.map((state) => ({ name: state.name, template: templateOf(state) }));
  const steps = templates.flatMap((one, index) =>
    templates.slice(index + 1).flatMap((other) => [one, other, one, other]),
  );
  const [first, ...others] = steps;
  if (!first) throw new Error(`${of} has no values.`);
  const stack = new UpdatedStack(first.template);
  return {
    of,
    transitions: others.flatMap(({ name, template }, index) => {
      const from = steps[index]?.name ?? '';
      return from === name ? [] : [{ from, to: name, effects: stack.update(template) }];
    }),
  };
}

const settingWalks = (): readonly Walk[] =>
  Object.entries(SETTING_CASES).map(([path, { values, at = path, stage = FULL_STAGE }]) =>
    walk(
      path,
      values.map((value) => ({
        name: JSON.stringify(value) ?? 'omitted',
        settings: withSetting(at, value, stage),
      })),
    ),
  );

/** What has a key of its own. */
const WITHOUT_STAGE_KEY: readonly string[] = ['encryptionKey', 'table'];

const existingWalks = (): readonly Walk[] =>
  Object.entries(EXISTING_CASES).map(([property, shares]) =>
    walk(property, [
      ...(property === 'encryptionKey' ? [{ name: 'the own key', settings: FULL_STAGE }] : []),
      ...shares.map((share, index) => ({
        name: share ? `value ${index + 1}` : 'omitted',
        settings: { ...FULL_STAGE, customerManagedKey: !WITHOUT_STAGE_KEY.includes(property) },
        share,
      })),
    ]),
  );

/** Returns the walk of every setting and of every property of the stack. */
export const stageWalks = (): readonly Walk[] => [...settingWalks(), ...existingWalks()];
