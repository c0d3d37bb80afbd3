import type { StageFeatures } from '../../sandbox/base/inspector.ts';

/** The value of the operators' field if the stage accepts any. */
const SAMPLE_OPERATOR = 'ana';

/** The settings of a stage that turn on what the console shows. */
export interface FeatureSettings {
  readonly operators?: { readonly echoField?: string; readonly echoValues?: readonly string[] } | undefined;
  readonly keywords?:
    | {
        readonly languages?: readonly string[] | undefined;
        readonly optOut?: readonly string[] | undefined;
        readonly confirmation?: string | undefined;
      }
    | undefined;
  readonly sends: { readonly bulkLane?: object | undefined };
  readonly turns?: { readonly silenceSeconds: number } | undefined;
  readonly window: { readonly marginSeconds: number };
}

/** Returns the features that the console shows and a stage's settings turn on. */
export const featuresOf = ({ operators, keywords, sends, turns, window }: FeatureSettings): StageFeatures => {
  const { echoField: name, echoValues: [value = SAMPLE_OPERATOR] = [] } = operators ?? {};
  return {
    handovers: operators !== undefined,
    ...(name !== undefined && { operatorField: { name, value } }),
    keywords:
      keywords !== undefined && ((keywords.languages ?? []).length > 0 || keywords.optOut?.includes('STOP') === true),
    confirmsOptOuts: keywords?.confirmation !== undefined,
    bulkLane: sends.bulkLane !== undefined,
    ...(turns !== undefined && { turns: { silenceSeconds: turns.silenceSeconds } }),
    windowMarginSeconds: window.marginSeconds,
  };
};
