import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { ParleyReceiver, ParleySender, ParleyTable } from '../../../../lib/index.ts';
import { statementsOf } from '../iam-statements.ts';
import { VALID } from '../settings/valid-settings.ts';
import { inTemporaryFolder, logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

const FUNCTION = 'AWS::Lambda::Function';
const KEYWORDS = { languages: ['en'] as ['en'] };
const CONFIRMING = { keywords: { ...KEYWORDS, confirmation: 'You will get no more messages.' } };
const PUT = 'ReceiverFunctionRoleConfirmations: Allow sqs:SendMessage on SenderSendQueue.Arn';

/** The variables of a function of a stage. */
const variablesOf = (template: Template, service: string): Record<string, unknown> => {
  const functions = template.findResources(FUNCTION, {
    Properties: { Environment: { Variables: { POWERTOOLS_SERVICE_NAME: service } } },
  });
  return Object.values(functions)[0]?.Properties.Environment.Variables;
};

describe('A stage that confirms opt-outs', () => {
  const { template } = synthesizedStack('prod', CONFIRMING);
  const plain = synthesizedStack('prod', { keywords: KEYWORDS }).template;

  test('lets the function receive put messages on the send queue, and gives it no text', () => {
    expect(variablesOf(template, 'receive')).toMatchObject({
      SEND_QUEUE_URL: { Ref: expect.stringMatching(/^SenderSendQueue[0-9A-F]{8}$/) },
    });
    expect(variablesOf(template, 'receive')).not.toHaveProperty('OPT_OUT_CONFIRMATION');
    expect(statementsOf(template)).toContain(PUT);
  });

  test('gives the text to the function that sends', () => {
    expect(variablesOf(template, 'send').OPT_OUT_CONFIRMATION).toBe(CONFIRMING.keywords.confirmation);
  });

  test('deploys the function send first, which must know the request that the function receive queues', () => {
    template.hasResource(FUNCTION, {
      Properties: { Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'receive' } } },
      DependsOn: Match.arrayWith([logicalIdOf('SenderFunction')]),
    });
  });

  test('adds nothing else, and nothing at all without the setting', () => {
    expect(statementsOf(template).filter((statement) => statement !== PUT)).toEqual(statementsOf(plain));
    expect(variablesOf(plain, 'receive')).not.toHaveProperty('SEND_QUEUE_URL');
    expect(variablesOf(plain, 'send')).not.toHaveProperty('OPT_OUT_CONFIRMATION');
  });

  test('can roll new versions out gradually', () => {
    const rollout = 'gradual';
    expect(() => synthesizedStack('prod', { ...CONFIRMING, rollout })).not.toThrow();
  });
});

describe('A receiver in another app', () => {
  const build = (settings: object, confirms: boolean, ofSender: object = settings) =>
    inTemporaryFolder((outdir) => {
      const context = { 'aws:cdk:bundling-stacks': [] };
      const stack = new Stack(new App({ outdir, context, builtinCloudFormationValidation: false }), 'Shop');
      const table = new ParleyTable(stack, 'Table');
      const receiver = new ParleyReceiver(stack, 'Receiver', { ...VALID, ...settings, table });
      if (confirms) receiver.confirmOptOuts(new ParleySender(stack, 'Sender', { ...VALID, ...ofSender, table }));
      return Template.fromStack(stack);
    });

  test('must be connected to a sender to confirm opt-outs', () => {
    expect(() => build(CONFIRMING, false)).toThrow(
      'keywords.confirmation: there is no sender to send it. Call confirmOptOuts with a ParleySender, or omit the setting.',
    );
  });

  test('then puts confirmations on the queue of that sender', () => {
    expect(variablesOf(build(CONFIRMING, true), 'receive')).toHaveProperty('SEND_QUEUE_URL');
  });

  test('rejects a sender that would refuse every confirmation', () => {
    expect(() => build(CONFIRMING, true, { keywords: KEYWORDS })).toThrow(
      'keywords.confirmation: the sender does not have this setting, so it would refuse every confirmation. ' +
        'Pass the same keywords to the ParleySender.',
    );
  });

  test('needs no sender otherwise, and gets no permission if it is connected to one', () => {
    expect(variablesOf(build({ keywords: KEYWORDS }, false), 'receive')).not.toHaveProperty('SEND_QUEUE_URL');
    expect(variablesOf(build({ keywords: KEYWORDS }, true), 'receive')).not.toHaveProperty('SEND_QUEUE_URL');
  });
});
