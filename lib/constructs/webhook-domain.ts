import { DomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { DomainNameSettings } from '../settings/network-settings.ts';

/** The webhook's domain name, with its certificate and, in a hosted zone of the account, its DNS record. */
export class WebhookDomain extends Construct {
  readonly domainName: DomainName;

  constructor(scope: Construct, id: string, { name, certificateArn, hostedZoneId }: DomainNameSettings) {
    super(scope, id);
    this.domainName = new DomainName(this, 'DomainName', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
    });
    if (hostedZoneId === undefined) return;
    const { regionalDomainName, regionalHostedZoneId } = this.domainName;
    new ARecord(this, 'Record', {
      zone: HostedZone.fromHostedZoneId(this, 'Zone', hostedZoneId),
      // The dot makes the name complete. Without it, CDK would need the zone's name.
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId)),
    });
  }
}
