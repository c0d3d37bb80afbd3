import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceName } from '../../../lambdas/domain/metric-names.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { FunctionAlias } from '../../../local/functions/alias.ts';
import { wireMessage } from '../../support/builders.ts';
import { type AlarmStage, startAlarmStage, TOKEN_HEADER } from './alarm-stage.ts';
import { runScenario } from './run-scenario.ts';

// The test does what CodeDeploy does: it divides an alias's invocations between two versions, and moves them all back to
// the previous version when the new version's alarm starts. test/unit/lib/constructs/rollout/gradual-rollout.test.ts checks that
// the deployment group names that alarm. Every other invocation gets the new version.

const CONTACT = '+5491155575001';
const HALF = 0.5;

let stage: AlarmStage;
let calls = 0;

beforeAll(async () => {
  stage = await startAlarmStage({
    settings: {
      webhook: { auth: { kind: 'shared-token', header: TOKEN_HEADER } },
      rollout: 'gradual',
    },
  });
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const aliasOf = (service: ServiceName): FunctionAlias => {
  const pool = [...stage.cloud.functions.values()].find(
    ({ declaration }) => declaration.variables.POWERTOOLS_SERVICE_NAME === service,
  );
  const alias = stage.cloud.aliases.find(({ declaration }) => declaration.functionArn === pool?.declaration.arn);
  if (alias === undefined) throw new Error(`The function ${service} has no alias.`);
  return alias;
};

/** Posts a message that Parley has not stored yet. Returns the status. */
const receiveOne = (): Promise<number> => {
  calls += 1;
  const CREATION_TIME = stage.cloud.clock.now().toISOString();
  return stage.post(wireMessage({ _id_: `rollout-${calls}`, FROM: CONTACT, CREATION_TIME }));
};

const sendOne = async (): Promise<void> => {
  calls += 1;
  const requestId = `rollout-${calls}`;
  await stage.client.enqueue({ requestId, platformContactId: CONTACT, messageText: 'Hi' });
};

const manageOne = (): Promise<unknown> => stage.parley('audit-trail').catch(() => undefined);

/** What makes each function work, through what invokes it in the stage. */
const CALLS = {
  receive: receiveOne,
  send: sendOne,
  publish: receiveOne,
  manage: manageOne,
} satisfies Readonly<Record<string, () => Promise<unknown>>>;

const ROLLOUTS = [
  { service: 'receive', alarm: 'ReceiveNewVersion' },
  { service: 'send', alarm: 'SendNewVersion' },
  { service: 'publish', alarm: 'PublishNewVersion' },
  { service: 'manage', alarm: 'ManageNewVersion' },
] as const;

const twice = async (service: keyof typeof CALLS): Promise<void> => {
  await CALLS[service]();
  await CALLS[service]();
};

afterEach(() => {
  for (const { service } of ROLLOUTS) {
    stage.fail(service, undefined);
    aliasOf(service).route(1);
  }
});

describe.each(ROLLOUTS)('the rollout of a new version of $service', ({ service, alarm }) => {
  it('starts its alarm if the version fails, and a rollback ends the alarm', async () => {
    await runScenario(stage, {
      alarm,
      // The alarm's only period. With longer steps, the alarm would start and end within one.
      stepMinutes: 1,
      async inject() {
        stage.fail(service, () => true);
        aliasOf(service).route(HALF);
      },
      meanwhile: () => twice(service),
      async fix() {
        // The new version would still fail.
        aliasOf(service).route(0);
        return undefined;
      },
    });
  });

  it('starts no alarm if the version works', async () => {
    aliasOf(service).route(HALF);
    for (let step = 0; step < 3; step += 1) {
      await twice(service);
      await stage.advance(1);
    }
    await stage.advance(2);

    expect(stage.isOn(alarm)).toBe(false);
  });

  it('starts no alarm of a rollout if the version fails after it, when the alias names one version', async () => {
    stage.fail(service, () => true);
    const functionErrors = alarm.replace('NewVersion', 'Errors');
    await waitFor(`${functionErrors} starts`, async () => {
      await twice(service);
      await stage.advance(1);
      return stage.isOn(functionErrors) ? true : undefined;
    });

    expect(stage.isOn(alarm)).toBe(false);
  });
});

it('loses no event while every other request meets a version that fails', async () => {
  stage.fail('receive', () => true);
  aliasOf('receive').route(HALF);

  const statuses = [await receiveOne(), await receiveOne()];
  aliasOf('receive').route(0);

  expect(statuses.toSorted()).toEqual([200, 500]);
  expect(await receiveOne()).toBe(200);
});
