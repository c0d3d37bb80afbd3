import type { StageFeatures } from '../../sandbox/inspector.ts';

/** The value of the operators' field if the stage accepts any. */
const SAMPLE_OPERATOR = 'ana';

/** The settings of a stage that turn on what the console shows. */
export interface FeatureSettings {
  readonly operators?: { readonly echoField?: string; readonly echoValues?: readonly string[] } | undefined;
  readonly keywords?: object | undefined;
  readonly sends: { readonly bulkLane?: object | undefined };
}

/** Returns the features that the console shows and a stage's settings turn on. */
export const featuresOf = ({ operators, keywords, sends }: FeatureSettings): StageFeatures => {
  const { echoField: name, echoValues: [value = SAMPLE_OPERATOR] = [] } = operators ?? {};
  return {
    handovers: operators !== undefined,
    ...(name !== undefined && { operatorField: { name, value } }),
    keywords: keywords !== undefined,
    bulkLane: sends.bulkLane !== undefined,
  };
};
