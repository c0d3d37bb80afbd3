import { versionMetrics } from '../emulators/cloudwatch/aws-metrics.ts';
import type { MetricStore } from '../emulators/cloudwatch/metric-store.ts';
import { counted } from './counted-invocations.ts';
import type { AliasDeclaration, InvokeFunction } from './invocation.ts';

/** The number of the version that a rollout replaces. A template declares only the new version. */
const PREVIOUS_VERSION = '0';

/** The versions of a function, whose failures count for the function. */
export interface FunctionVersions {
  readonly name: string;
  readonly current: InvokeFunction;
  readonly previous: InvokeFunction;
}

/** An alias of a function. It names the current version, or two versions while CodeDeploy moves it to the current one. */
export interface FunctionAlias {
  readonly declaration: AliasDeclaration;
  readonly invoke: InvokeFunction;
  /**
   * Divides the invocations between the previous version and the current one. Lambda does it at random, the local run
   * in turns.
   *
   * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuring-alias-routing.html
   *
   * @param share the current version's share: from 0, which is a rollback, to 1, which completes the rollout
   */
  readonly route: (share: number) => void;
}

/** Creates an alias that names the current version. */
export const createAlias = (
  declaration: AliasDeclaration,
  { name, current, previous }: FunctionVersions,
  metrics: { readonly store: MetricStore; readonly now: () => Date } | undefined,
): FunctionAlias => {
  const ofVersion = (invoke: InvokeFunction, version: string): InvokeFunction =>
    metrics ? counted(invoke, versionMetrics(metrics.store, name, { ...declaration, version }, metrics.now)) : invoke;
  const whileTwo = {
    current: ofVersion(current, declaration.version),
    previous: ofVersion(previous, PREVIOUS_VERSION),
  };
  let share = 1;
  let turn = 0;
  return {
    declaration,
    route(newShare) {
      share = newShare;
      turn = 0;
    },
    invoke(event) {
      if (share === 1) return current(event);
      if (share === 0) return previous(event);
      turn += share;
      if (turn < 1) return whileTwo.previous(event);
      turn -= 1;
      return whileTwo.current(event);
    },
  };
};
