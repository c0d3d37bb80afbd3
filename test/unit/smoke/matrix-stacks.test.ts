import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createMatrixStack, type MatrixRequest } from '../../../smoke/matrix/matrix-stacks.ts';
import { MATRIX_CONTEXT, stackNameOf, VARIANTS } from '../../../smoke/matrix/variants.ts';

const STAGE = {
  chatService: { baseUrl: 'https://chat-service.acme.io' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491150000000',
  webhook: { auth: { kind: 'standard-webhooks' } },
};

const synthesize = (request: Omit<MatrixRequest, 'stackName'>, settings: object = {}): Template => {
  const stackName = stackNameOf('12345678', request.part);
  const context = {
    stages: { smoke: { ...STAGE, ...settings } },
    stage: 'smoke',
    [MATRIX_CONTEXT]: JSON.stringify({ ...request, stackName }),
    'aws:cdk:bundling-stacks': [],
  };
  return Template.fromStack(createMatrixStack(new App({ context })));
};

const settingsOf = (name: string) => VARIANTS.find((variant) => variant.name === name)?.settings;

describe('the stacks of a matrix', () => {
  it('connect every function of the variant network to the VPC, with a key and rollouts', () => {
    const network = { vpcId: 'vpc-0a1b2c3d', subnetIds: ['subnet-0a1b2c3d'] };
    const template = synthesize({ part: 'network', network }, settingsOf('network'));

    template.allResourcesProperties('AWS::Lambda::Function', {
      VpcConfig: Match.objectLike({ SubnetIds: ['subnet-0a1b2c3d'] }),
    });
    template.resourceCountIs('AWS::KMS::Key', 1);
    template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 4);
  });

  it('create no event bus in the variant bus', () => {
    expect(Object.keys(synthesize({ part: 'default' }).findResources('AWS::Events::EventBus'))).toHaveLength(1);
    synthesize({ part: 'bus' }).resourceCountIs('AWS::Events::EventBus', 0);
  });

  it('fail only after everything else exists', () => {
    const template = synthesize({ part: 'default', fails: true }, { production: true });

    const { ForcedFailure: failure, ...others } = template.toJSON().Resources;
    expect(failure.Properties).toMatchObject({ Count: 1, Timeout: '1' });
    expect(failure.DependsOn.toSorted()).toEqual(
      Object.keys(others)
        .filter((id) => id !== 'NoSignal')
        .toSorted(),
    );
  });

  it('ask with the strictest permissions', () => {
    const template = synthesize({ part: 'probes' });

    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({ Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } } }),
        ],
      },
    });
    const [policy] = Object.values(template.findResources('AWS::IAM::Policy'));
    for (const { Resource } of policy?.Properties.PolicyDocument.Statement ?? []) {
      expect(Resource).toEqual({ 'Fn::GetAtt': [expect.any(String), expect.stringMatching(/^(StreamArn|Arn)$/)] });
    }
  });
});
