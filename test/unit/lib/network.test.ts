import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { statementsOf } from './iam-statements.ts';
import { SUBNETS, shareAll, shareDomainName, shareSecurityGroups, shareVpc, VPC } from './shared-resources.ts';
import { logicalIdOf, synthesizedStack } from './synthesized-stack.ts';

describe('A stage without a VPC and a domain name', () => {
  const { template } = synthesizedStack('prod');

  test('mentions neither', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/VpcConfig|ec2:|DisableExecuteApiEndpoint|ApiMapping/);
    expect(Object.keys(template.toJSON().Outputs).filter((name) => /WebhookApi/.test(name))).toEqual([]);
  });
});

describe('A stage in a VPC', () => {
  const { template } = synthesizedStack('prod', {}, { share: shareVpc });
  const allowed =
    'ec2:AssignPrivateIpAddresses, ec2:CreateNetworkInterface, ec2:DeleteNetworkInterface, ' +
    'ec2:DescribeNetworkInterfaces, ec2:DescribeSubnets, ec2:UnassignPrivateIpAddresses on *';

  test('connects every function to its subnets', () => {
    const SecurityGroupIds = [{ 'Fn::GetAtt': [logicalIdOf('SecurityGroup'), 'GroupId'] }];

    template.allResourcesProperties('AWS::Lambda::Function', { VpcConfig: { SubnetIds: SUBNETS, SecurityGroupIds } });
  });

  test('connects only the functions that call the chat service, if the properties say so', () => {
    const share = shareAll(shareVpc, () => ({ vpcFunctions: 'callers' }));
    const functions = synthesizedStack('prod', {}, { share }).template.findResources('AWS::Lambda::Function');
    const connected = Object.entries(functions).filter(([, { Properties }]) => Properties.VpcConfig !== undefined);

    expect(connected.map(([id]) => id.replace(/Function.*/, ''))).toEqual(['Sender', 'Management']);
  });

  test('refuses any other value, which a JavaScript app can pass', () => {
    const share = shareAll(shareVpc, () => JSON.parse('{"vpcFunctions":"caller"}'));

    expect(() => synthesizedStack('prod', {}, { share })).toThrow(
      /vpcFunctions: got "caller", expected "all" or "callers"\.$/,
    );
  });

  test('has one security group, which allows only connections to https ports', () => {
    template.resourceCountIs('AWS::EC2::SecurityGroup', 1);
    template.allResourcesProperties('AWS::EC2::SecurityGroup', {
      VpcId: VPC,
      SecurityGroupEgress: [{ CidrIp: '0.0.0.0/0', IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }],
    });
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  });

  test('allows connections to the port of the chat service, if it is another', () => {
    const settings = { chatService: { baseUrl: 'https://chat-service.bank.internal:8443' } };
    const other = synthesizedStack('prod', settings, { share: shareVpc }).template;

    const [group] = Object.values(other.findResources('AWS::EC2::SecurityGroup'));
    const ports = group?.Properties.SecurityGroupEgress.map(({ ToPort }: { ToPort: number }) => ToPort);
    expect(ports).toEqual([443, 8443]);
  });

  test('uses the security groups of the properties instead', () => {
    const securityGroupIds = ['sg-0a1b2c3d4e5f60718', 'sg-1a1b2c3d4e5f60718'];
    const share = shareAll(shareVpc, shareSecurityGroups(...securityGroupIds));
    const own = synthesizedStack('prod', {}, { share }).template;

    own.resourceCountIs('AWS::EC2::SecurityGroup', 0);
    own.allResourcesProperties('AWS::Lambda::Function', { VpcConfig: { SecurityGroupIds: securityGroupIds } });
  });

  test('reads the stream through the endpoint of the VPC, which has no private DNS name', () => {
    const streamsEndpointUrl = 'https://vpce-0a1b2c3d-4e5f.streams.dynamodb.eu-west-1.vpce.amazonaws.com';
    const share = shareAll(shareVpc, () => ({ streamsEndpointUrl }));

    synthesizedStack('prod', {}, { share }).template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ AWS_ENDPOINT_URL_DYNAMODB_STREAMS: streamsEndpointUrl }) },
    });
  });

  test('lets Lambda create network interfaces, but not the code of a function, and changes no other permission', () => {
    const added = ['Management', 'Publisher', 'Receiver', 'Sender'].flatMap((name) => [
      `${name}FunctionRoleNetwork: Allow ${allowed}`,
      `${name}FunctionRoleNetwork: Deny ${allowed} if {"Null":{"lambda:SourceFunctionArn":"false"}}`,
    ]);

    expect(statementsOf(template)).toEqual([...statementsOf(synthesizedStack('prod').template), ...added].toSorted());
  });

  test('has roles without managed policies, as outside a VPC', () => {
    const properties = Object.values(template.findResources('AWS::IAM::Role')).flatMap((role) =>
      Object.keys(role.Properties),
    );

    expect(properties).not.toContain('ManagedPolicyArns');
  });
});

describe('A stage with a domain name', () => {
  const { template } = synthesizedStack('prod', {}, { share: shareDomainName });
  const outputs = template.toJSON().Outputs;
  const DomainName = { 'Fn::GetStackOutput': Match.objectLike({ StackName: 'Shared' }) };

  test('has one webhook URL, at that name', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      ApiId: { Ref: logicalIdOf('ReceiverApi') },
      DomainName,
      Stage: '$default',
    });
    template.hasOutput('WebhookUrl', { Value: { 'Fn::Join': ['', ['https://', DomainName, '/webhook']] } });
  });

  test('disables the URL that API Gateway generates for the webhook, but not for the management API', () => {
    const apis = template.findResources('AWS::ApiGatewayV2::Api', { Properties: { DisableExecuteApiEndpoint: true } });

    expect(Object.keys(apis)).toEqual(['ReceiverApi19EE3CF8']);
    expect(JSON.stringify(outputs.ManagementUrl)).toContain('ApiEndpoint');
  });

  test('names the API in the outputs', () => {
    template.hasOutput('WebhookApiId', { Value: { Ref: logicalIdOf('ReceiverApi') } });
  });

  test('keeps the resources of the webhook, so that its API is not replaced', () => {
    const without = synthesizedStack('prod').template.toJSON().Resources;

    expect(Object.keys(without).filter((id) => !(id in template.toJSON().Resources))).toEqual([]);
  });
});
