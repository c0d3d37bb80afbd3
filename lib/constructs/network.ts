import { type Stack, Validations } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, Peer, Port, SecurityGroup, type SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { StageSettings } from '../settings/stage-settings.ts';
import { partOf } from './stage-role.ts';

/** The network that a construct's functions are connected to. */
export interface NetworkProps {
  /**
   * The VPC that the functions are connected to.
   *
   * @default none; the functions reach AWS and the chat service over the internet
   */
  readonly vpc?: IVpc;
  /**
   * The subnets of the VPC.
   *
   * @default its private subnets
   */
  readonly vpcSubnets?: SubnetSelection;
  /**
   * The security groups of the functions. They need outbound connections to AWS and the chat service.
   *
   * @default one for each function, which allows all outbound connections; in a `ParleyStack`, one for all functions,
   * which allows only the ports that they call
   */
  readonly securityGroups?: ISecurityGroup[];
  /**
   * The URL of the VPC's interface endpoint for DynamoDB Streams, which redriving events calls. Without NAT, the functions
   * cannot reach the usual one, because the endpoint has no private DNS name.
   *
   * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/privatelink-streams.html
   *
   * @default the usual one of the region
   */
  readonly streamsEndpointUrl?: string;
}

/** Returns the network among a construct's properties. */
export const networkIn = ({ vpc, vpcSubnets, securityGroups }: NetworkProps): NetworkProps => ({
  vpc,
  vpcSubnets,
  securityGroups,
});

/**
 * What Lambda does as a function's role to connect the function to a VPC. Lambda accepts some of the actions only for all
 * resources.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html and
 * https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSLambdaVPCAccessExecutionRole.html
 */
const NETWORK_INTERFACE_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Lets Lambda create the network interfaces of a function, but denies the same to the function's own code.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
 */
export function grantNetworkInterfaces(role: Role): void {
  const statement = { actions: NETWORK_INTERFACE_ACTIONS, resources: ['*'] };
  const { grantPrincipal } = partOf(role, 'Network');
  grantPrincipal.addToPrincipalPolicy(new PolicyStatement(statement));
  grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      ...statement,
      effect: Effect.DENY,
      // Calls from the function's code have this condition key. Lambda's own calls do not.
      conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    }),
  );
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Lambda requires these actions on all resources to connect a function to a VPC, and they are denied to its code.',
  });
}

/** Returns the network of a stack's functions, which share one security group unless the stack's properties name others. */
export function networkOf(stack: Stack, props: NetworkProps, settings: StageSettings): NetworkProps {
  const { vpc, vpcSubnets, securityGroups, streamsEndpointUrl } = props;
  if (!vpc) return {};
  return {
    vpc,
    vpcSubnets,
    streamsEndpointUrl,
    securityGroups: securityGroups ?? [createSecurityGroup(stack, vpc, settings)],
  };
}

const HTTPS_PORT = 443;

/** Creates a security group without inbound rules that allows only connections to the ports that the functions call. */
function createSecurityGroup(
  stack: Stack,
  vpc: IVpc,
  { chatService, webhook: { auth } }: StageSettings,
): SecurityGroup {
  const group = new SecurityGroup(stack, 'SecurityGroup', {
    vpc,
    description: `The functions of ${stack.stackName}`,
    allowAllOutbound: false,
  });
  const urls = [chatService.baseUrl, ...(auth.kind === 'pubsub-jwt' ? [auth.jwksUrl] : [])];
  const ports = new Set([HTTPS_PORT, ...urls.map((url) => Number(new URL(url).port || HTTPS_PORT))]);
  for (const port of ports) {
    group.addEgressRule(Peer.anyIpv4(), Port.tcp(port), 'AWS services and the chat service');
  }
  return group;
}
