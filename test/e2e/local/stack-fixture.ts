/** A small template, as CDK would synthesize it, with one of each resource that the local run supports. */
export const stackFixture = () => ({
  Parameters: {
    BootstrapVersion: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/cdk-bootstrap/hnb659fds/version' },
  },
  Resources: {
    Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } },
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'contact', AttributeType: 'S' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byContact',
            KeySchema: [{ AttributeName: 'contact', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        DeletionProtectionEnabled: true,
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      },
    },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        FifoQueue: true,
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] }, maxReceiveCount: 7 },
        VisibilityTimeout: 30,
      },
    },
    DeadLetters: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
    Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { GenerateSecretString: { PasswordLength: 12 } } },
    Function: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: { 'Fn::Sub': 'assets-${AWS::AccountId}' }, S3Key: 'bundle.zip' },
        Environment: {
          Variables: {
            TABLE_NAME: { Ref: 'Table' },
            QUEUE_URL: { Ref: 'Queue' },
            SECRET_ID: { Ref: 'Secret' },
          },
        },
        Handler: 'index.handler',
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Runtime: 'nodejs24.x',
        Timeout: 10,
      },
      Metadata: { 'aws:asset:path': 'bundle' },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] }, FunctionName: { Ref: 'Function' } },
    },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'api', ProtocolType: 'HTTP' } },
    Stage: {
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: { ApiId: { Ref: 'Api' }, AutoDeploy: true, StageName: '$default' },
    },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: { Ref: 'Api' },
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: { 'Fn::GetAtt': ['Function', 'Arn'] },
        PayloadFormatVersion: '2.0',
      },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        ApiId: { Ref: 'Api' },
        AuthorizationType: 'NONE',
        RouteKey: 'POST /webhook',
        Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] },
      },
    },
  },
  Outputs: {
    Url: {
      Value: {
        'Fn::Join': [
          '',
          [
            'https://',
            { Ref: 'Api' },
            '.execute-api.',
            { Ref: 'AWS::Region' },
            '.',
            { Ref: 'AWS::URLSuffix' },
            '/webhook',
          ],
        ],
      },
    },
    QueueUrl: { Value: { Ref: 'Queue' } },
    TableName: { Value: { Ref: 'Table' } },
    SecretId: { Value: { Ref: 'Secret' } },
  },
});
