import { Annotations, type Stack } from 'aws-cdk-lib';
import { DomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { ExistingResources } from '../../../lib/constructs/existing-resources.ts';

const arn = (service: string, resource: string): string => `arn:aws:${service}:eu-west-1:111122223333:${resource}`;

export const TABLE = arn('dynamodb', 'table/messaging');
export const STREAM = `${TABLE}/stream/2026-11-20T12:00:00.000`;
export const BUS = arn('events', 'event-bus/company');
export const KEY = arn('kms', 'key/1234abcd-12ab-34cd-56ef-1234567890ab');
export const VPC = 'vpc-0a1b2c3d4e5f60718';
export const SUBNETS: string[] = ['subnet-0a1b2c3d4e5f60718', 'subnet-1a1b2c3d4e5f60718'];
export const DOMAIN = 'chat-events.bank.internal';

/** Names an account's resources in a stack of the app, for use in another. */
export type Share = (shared: Stack) => ExistingResources;

export const shareTable =
  (tableArn = TABLE): Share =>
  (shared) => ({
    table: Table.fromTableAttributes(shared, 'Table', {
      tableArn,
      tableStreamArn: STREAM.replace(TABLE, tableArn),
    }),
  });

export const shareTableWithKey: Share = (shared) => ({
  table: Table.fromTableAttributes(shared, 'Table', {
    tableArn: TABLE,
    tableStreamArn: STREAM,
    encryptionKey: Key.fromKeyArn(shared, 'TableKey', KEY),
  }),
});

export const shareBus: Share = (shared) => ({ eventBus: EventBus.fromEventBusArn(shared, 'Bus', BUS) });

export const shareKey: Share = (shared) => ({ encryptionKey: Key.fromKeyArn(shared, 'Key', KEY) });

export const shareVpc: Share = (shared) => {
  const vpc = Vpc.fromVpcAttributes(shared, 'Vpc', {
    vpcId: VPC,
    privateSubnetIds: SUBNETS,
    availabilityZones: ['eu-west-1a', 'eu-west-1b'],
  });
  Annotations.of(vpc).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId', 'Nothing uses the route tables.');
  return { vpc };
};

export const shareSecurityGroups =
  (...ids: readonly string[]): Share =>
  (shared) => ({ securityGroups: ids.map((id) => SecurityGroup.fromSecurityGroupId(shared, id, id)) });

/** A domain name that the shared stack creates. */
export const shareDomainName: Share = (shared) => ({
  domainMapping: {
    domainName: new DomainName(shared, 'Domain', {
      domainName: DOMAIN,
      certificate: Certificate.fromCertificateArn(shared, 'Certificate', arn('acm', 'certificate/1234abcd')),
    }),
  },
});

/** Shares all of several shares. */
export const shareAll =
  (...shares: readonly Share[]): Share =>
  (shared) =>
    Object.assign({}, ...shares.map((share) => share(shared)));
