import { describe, expect, test } from 'vitest';
import { statementsOf } from './iam-statements.ts';
import { faults, read } from './settings/valid-settings.ts';
import { logicalIdOf, synthesizedStack } from './synthesized-stack.ts';

const SUBNETS = ['subnet-0a1b2c3d4e5f60718', 'subnet-1a1b2c3d4e5f60718'];
const vpc = { vpcId: 'vpc-0a1b2c3d4e5f60718', subnetIds: SUBNETS };
const CERTIFICATE = 'arn:aws:acm:eu-west-1:111122223333:certificate/1234abcd-12ab-34cd-56ef-1234567890ab';
const domainName = { name: 'chat-events.bank.internal', certificateArn: CERTIFICATE };

describe('A stage without a VPC and a domain name', () => {
  const { template } = synthesizedStack('prod');

  test('mentions neither', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/VpcConfig|ec2:|DisableExecuteApiEndpoint|ApiMapping/);
    expect(Object.keys(template.toJSON().Outputs).filter((name) => /WebhookDomain|WebhookApi/.test(name))).toEqual([]);
  });
});

describe('A stage in a VPC', () => {
  const { template } = synthesizedStack('prod', { vpc });
  const allowed =
    'ec2:AssignPrivateIpAddresses, ec2:CreateNetworkInterface, ec2:DeleteNetworkInterface, ' +
    'ec2:DescribeNetworkInterfaces, ec2:DescribeSubnets, ec2:UnassignPrivateIpAddresses on *';

  test('connects every function to its subnets', () => {
    const SecurityGroupIds = [{ 'Fn::GetAtt': [logicalIdOf('SecurityGroup'), 'GroupId'] }];

    template.allResourcesProperties('AWS::Lambda::Function', { VpcConfig: { SubnetIds: SUBNETS, SecurityGroupIds } });
  });

  test('has one security group, which allows only connections to https ports', () => {
    template.resourceCountIs('AWS::EC2::SecurityGroup', 1);
    template.allResourcesProperties('AWS::EC2::SecurityGroup', {
      VpcId: vpc.vpcId,
      SecurityGroupEgress: [{ CidrIp: '0.0.0.0/0', IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }],
    });
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  });

  test('allows connections to the port of the chat service, if it is another', () => {
    const settings = { vpc, chatService: { baseUrl: 'https://chat-service.bank.internal:8443' } };

    const [group] = Object.values(synthesizedStack('prod', settings).template.findResources('AWS::EC2::SecurityGroup'));
    const ports = group?.Properties.SecurityGroupEgress.map(({ ToPort }: { ToPort: number }) => ToPort);
    expect(ports).toEqual([443, 8443]);
  });

  test('uses the security groups of the settings instead', () => {
    const securityGroupIds = ['sg-0a1b2c3d4e5f60718', 'sg-1a1b2c3d4e5f60718'];
    const own = synthesizedStack('prod', { vpc: { ...vpc, securityGroupIds } }).template;

    own.resourceCountIs('AWS::EC2::SecurityGroup', 0);
    own.allResourcesProperties('AWS::Lambda::Function', { VpcConfig: { SecurityGroupIds: securityGroupIds } });
  });

  test('lets Lambda create network interfaces, but not the code of a function, and changes no other permission', () => {
    const functions = ['Management', 'Publisher', 'Receiver', 'Sender'].map(
      (name) => `${name}FunctionRoleDefaultPolicy`,
    );
    const added = functions.flatMap((policy) => [
      `${policy}: Allow ${allowed}`,
      `${policy}: Deny ${allowed} if {"Null":{"lambda:SourceFunctionArn":"false"}}`,
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
  const { template } = synthesizedStack('prod', { domainName });
  const outputs = template.toJSON().Outputs;
  const domain = logicalIdOf('WebhookDomainDomainName');

  test('has one webhook URL, at that name', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: domainName.name,
      DomainNameConfigurations: [{ CertificateArn: CERTIFICATE, EndpointType: 'REGIONAL' }],
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      ApiId: { Ref: logicalIdOf('ReceiverApi') },
      DomainName: { Ref: domain },
      Stage: '$default',
    });
    template.hasOutput('WebhookUrl', { Value: { 'Fn::Join': ['', ['https://', { Ref: domain }, '/webhook']] } });
  });

  test('disables the URL that API Gateway generates for the webhook, but not for the management API', () => {
    const apis = template.findResources('AWS::ApiGatewayV2::Api', { Properties: { DisableExecuteApiEndpoint: true } });

    expect(Object.keys(apis)).toEqual(['ReceiverApi19EE3CF8']);
    expect(JSON.stringify(outputs.ManagementUrl)).toContain('ApiEndpoint');
  });

  test('names the target of the DNS record and the API in the outputs', () => {
    template.hasOutput('WebhookDomainTarget', { Value: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] } });
    template.hasOutput('WebhookApiId', { Value: { Ref: logicalIdOf('ReceiverApi') } });
  });

  test('has a DNS record only in a hosted zone of the settings', () => {
    template.resourceCountIs('AWS::Route53::RecordSet', 0);
    const { template: withZone } = synthesizedStack('prod', {
      domainName: { ...domainName, hostedZoneId: 'Z0123456789ABC' },
    });

    withZone.hasResourceProperties('AWS::Route53::RecordSet', {
      HostedZoneId: 'Z0123456789ABC',
      Name: 'chat-events.bank.internal.',
      Type: 'A',
      AliasTarget: {
        DNSName: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] },
        HostedZoneId: { 'Fn::GetAtt': [domain, 'RegionalHostedZoneId'] },
      },
    });
  });

  test('keeps the resources of the webhook, so that its API is not replaced', () => {
    const without = synthesizedStack('prod').template.toJSON().Resources;

    expect(Object.keys(without).filter((id) => !(id in template.toJSON().Resources))).toEqual([]);
  });

  test('rejects a certificate of another region than that of the stack', () => {
    const env = { account: '111122223333', region: 'us-east-1' };

    expect(() => synthesizedStack('prod', { domainName }, { env })).toThrow(
      /^Parley-prod\.domainName\.certificateArn: got ".*", expected one in the stack's region us-east-1\.$/,
    );
  });
});

describe('The settings of the network', () => {
  test.each([
    { path: 'vpc.vpcId', settings: { vpc: { ...vpc, vpcId: 'default' } } },
    { path: 'vpc.subnetIds', settings: { vpc: { ...vpc, subnetIds: [] } } },
    { path: 'vpc.securityGroupIds.0', settings: { vpc: { ...vpc, securityGroupIds: ['default'] } } },
    { path: 'domainName.name', settings: { domainName: { ...domainName, name: 'https://chat-events.bank.internal' } } },
    { path: 'domainName.name', settings: { domainName: { ...domainName, name: '*.bank.internal' } } },
    { path: 'domainName.certificateArn', settings: { domainName: { ...domainName, certificateArn: 'arn' } } },
    { path: 'domainName.hostedZoneId', settings: { domainName: { ...domainName, hostedZoneId: 'bank.internal' } } },
  ])('reject an invalid $path', ({ path, settings }) => {
    expect(faults(() => read(settings))).toEqual([
      expect.stringMatching(new RegExp(`^stages\\.prod\\.${path.replaceAll('.', '\\.')}: got .*, expected (a|the) `)),
    ]);
  });

  test('of a production stage reject a placeholder domain name', () => {
    const settings = { production: true, domainName: { ...domainName, name: 'chat-events.example.com' } };

    expect(faults(() => read(settings))).toContainEqual(
      expect.stringMatching(
        /^stages\.prod\.domainName\.name: got "chat-events\.example\.com", expected the webhook's real/,
      ),
    );
  });
});
