// Files of the CDK apps of other people that the package must work in.

/** The dependencies of the checks below, with what `cdk init` writes, except what the repository has. */
export const CHECKERS = ['publint@0.3.25', '@arethetypeswrong/core@0.18.5'];

/** Prints what both checkers of packages find in the packed packages, as a JSON array. */
export const CHECK_PACKAGES = `
import { globSync, readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const found = [];
for (const pkgDir of globSync('packed/@parleyhq/*')) {
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
  found.push(...messages.map((message) => pkgDir + ': ' + formatMessage(message, pkg)));
}
const [archive] = globSync('packed/parleyhq-parley-*.tgz');
const { problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(archive))));
console.log(JSON.stringify([...found, ...problems]));
`;

/** The stack of the app that `cdk init` wrote, with Parley added beside it. */
export const STACK = `import * as cdk from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { ParleyStack, type StageSettingsInput } from '@parleyhq/parley';
import { isParleyEvent, type SendRequest } from '@parleyhq/parley/events';

const settings: StageSettingsInput = {
  chatService: { baseUrl: 'https://chat-service.example' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
};

export class InitAppStack extends cdk.Stack {
  readonly parley: ParleyStack;
  readonly request?: SendRequest;

  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    if (isParleyEvent({}, 'MessageReceived')) throw new Error('It is none.');
    new cdk.CfnOutput(this, 'Name', { value: id });
    this.parley = new ParleyStack(scope, 'Parley-dev', { settings });
  }
}
`;

/** The test that `cdk init` writes, about Parley's stack. */
export const STACK_TEST = `import * as cdk from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import * as InitApp from '../lib/init-app-stack';

test('Table Created', () => {
  const app = new cdk.App();
  const { parley } = new InitApp.InitAppStack(app, 'MyTestStack');
  Template.fromStack(parley).resourceCountIs('AWS::DynamoDB::Table', 1);
});
`;

/** What `cdk init` wrote until 2025: CommonJS, and TypeScript's old way of finding modules. */
export const OLD_TSCONFIG = {
  compilerOptions: {
    target: 'ES2020',
    module: 'commonjs',
    moduleResolution: 'node',
    lib: ['es2020', 'dom'],
    strict: true,
    experimentalDecorators: true,
    strictPropertyInitialization: false,
    types: ['node'],
    outDir: 'compiled',
    // As docs/library.md says.
    skipLibCheck: true,
  },
  include: ['bin', 'lib'],
};
